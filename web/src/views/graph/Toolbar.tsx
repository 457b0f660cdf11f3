import { ActionIcon, Button, Group, SegmentedControl, Text, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import {
  IconAdjustments,
  IconArrowAutofitContent,
  IconClockHour4,
  IconEye,
  IconLayoutList,
  IconLink,
  IconMinus,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconSparkles,
  IconWorld,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { LiveState } from "@/api/live";
import type { Grain } from "@/graph/visible";
import { LazyMenu } from "@/parts/LazyMenu";
import { type GraphState, MOST_DEPTH } from "@/state/graphState";
import type { Change } from "@/state/useGraphState";
import { connection } from "@/theme/states";
import classes from "@/views/graph/Panels.module.css";

interface Props {
  state: GraphState;
  change: Change;
  liveState: LiveState;
  isPaused: boolean;
  onPause: () => void;
  onFit: () => void;
  onLayout: () => void;
  parents: readonly string[]; // groups that can be closed
  find: ReactNode;
  exports: ReactNode;
}

const GRAINS: { value: Grain; label: string }[] = [
  { value: "all", label: "All" },
  { value: "jobs", label: "Jobs" },
  { value: "datasets", label: "Datasets" },
];

export function Toolbar(props: Props) {
  const { state, change, onFit, onLayout } = props;
  return (
    <div className={classes.toolbar} role="toolbar" aria-label="Graph">
      {(state.node !== null || state.pathFrom !== null || state.namespaces.size > 0) && (
        <Tool
          label="Show everything"
          onClick={() =>
            change({
              node: null,
              pathFrom: null,
              pathTo: null,
              namespaces: new Set(),
              opened: new Set(),
              closed: new Set(),
              view: null,
            })
          }
        >
          <IconWorld size={16} />
        </Tool>
      )}
      <SegmentedControl
        size="xs"
        aria-label="Show"
        data={GRAINS}
        value={state.grain}
        onChange={(grain) => change({ grain: grain as Grain, view: null })}
      />
      <Button
        size="xs"
        px={9}
        variant={state.hasColumns ? "filled" : "default"}
        aria-pressed={state.hasColumns}
        leftSection={<IconLayoutList size={15} />}
        onClick={() => change({ hasColumns: !state.hasColumns, cards: new Set() })}
      >
        Columns
      </Button>
      {state.node !== null && state.pathFrom === null && (
        <Group gap={6} wrap="nowrap">
          <Depth label="Upstream" value={state.up} onChange={(up) => change({ up })} />
          <Depth label="Downstream" value={state.down} onChange={(down) => change({ down })} />
        </Group>
      )}
      <div className={classes.divider} />
      <Tool label="Fit to window (F)" onClick={onFit}>
        <IconArrowAutofitContent size={16} />
      </Tool>
      <Tool label="Re-layout" onClick={onLayout}>
        <IconSparkles size={16} />
      </Tool>
      <LazyMenu
        label="View options"
        icon={<IconAdjustments size={16} />}
        load={() => import("@/views/graph/ViewMenu")}
        menu={{ state, change, parents: props.parents }}
      />
      {props.find}
      {state.hidden.size > 0 && (
        <Button
          size="xs"
          px={9}
          variant="default"
          leftSection={<IconEye size={15} />}
          onClick={() => change({ hidden: new Set() })}
        >
          Show {state.hidden.size} hidden
        </Button>
      )}
      <div style={{ flex: 1 }} />
      <LiveButton {...props} />
      <Tool
        label="Time"
        isOn={state.hasTime}
        onClick={() => change({ hasTime: !state.hasTime, ...(state.hasTime ? { at: null, against: null } : {}) })}
      >
        <IconClockHour4 size={16} />
      </Tool>
      <Tool label="Copy link to this view" onClick={copyLink}>
        <IconLink size={16} />
      </Tool>
      {props.exports}
    </div>
  );
}

function LiveButton({ state, liveState, isPaused, onPause }: Props) {
  if (state.at !== null) return <Text size="xs">Past, not live</Text>;
  const { name, colour } = connection(liveState, isPaused);
  return (
    <Tooltip label={isPaused ? "Resume live updates" : "Pause live updates"}>
      <Button
        size="xs"
        px={9}
        variant="default"
        aria-pressed={isPaused}
        aria-label={`${name}: ${isPaused ? "resume" : "pause"}`}
        leftSection={
          isPaused ? (
            <IconPlayerPlay size={14} />
          ) : (
            <span style={{ width: 9, height: 9, borderRadius: 9, background: colour }} />
          )
        }
        rightSection={isPaused ? undefined : <IconPlayerPause size={14} />}
        onClick={onPause}
      >
        {name}
      </Button>
    </Tooltip>
  );
}

interface DepthProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
}

function Depth({ label, value, onChange }: DepthProps) {
  const button = (words: string, next: number, icon: ReactNode) => (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={22}
      aria-label={words}
      disabled={next < 0 || next > MOST_DEPTH}
      onClick={() => onChange(next)}
    >
      {icon}
    </ActionIcon>
  );
  return (
    <Tooltip label={`${label} depth, in jobs`}>
      <fieldset className={classes.depth} aria-label={`${label} depth`}>
        <Text size="xs">{label}</Text>
        {button(`Fewer ${label.toLowerCase()}`, value - 1, <IconMinus size={13} />)}
        <Text size="xs" fw={600}>
          {value}
        </Text>
        {button(`More ${label.toLowerCase()}`, value + 1, <IconPlus size={13} />)}
      </fieldset>
    </Tooltip>
  );
}

interface ToolProps {
  label: string;
  isOn?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Tool({ label, isOn, onClick, children }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant={isOn === true ? "filled" : "default"}
        size={30}
        aria-label={label}
        aria-pressed={isOn}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(window.location.href);
    notifications.show({ message: "Link copied. It opens what you see now.", autoClose: 3000 });
  } catch {
    notifications.show({
      color: "orange",
      message: "The browser blocked copying. Copy the link from the address bar.",
    });
  }
}
