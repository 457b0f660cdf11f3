import { ActionIcon, Button, Group, Paper, RangeSlider, Slider, Text, Tooltip } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconGitCompare } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { type HistoryMark, nextMark } from "@/graph/history";
import type { Lineage } from "@/graph/model";
import { moment } from "@/parts/format";
import type { GraphState } from "@/state/graphState";
import type { Change } from "@/state/useGraphState";
import { HistoryMarks } from "@/views/graph/HistoryMarks";
import classes from "@/views/graph/TimeBar.module.css";
import { useHistory } from "@/views/graph/useHistory";

interface Props {
  state: GraphState;
  change: Change;
  lineage: Lineage;
}

/** The graph as it was: a slider over all that is known, with marks where something happened. */
export default function TimeBar({ state, change, lineage }: Props) {
  const history = useHistory(lineage, state.node);
  const [from, to] = history.range;
  const now = state.at === null ? to : Math.min(to, Date.parse(state.at));
  const then = state.against === null ? null : Math.max(from, Date.parse(state.against));
  const [dragged, setDragged] = useState<number | [number, number] | null>(null);

  const asParameter = (ms: number) => (ms >= to ? null : new Date(ms).toISOString());
  const go = (mark: HistoryMark | undefined) => mark !== undefined && change({ at: new Date(mark.at).toISOString() });
  const settle = (value: number | [number, number]) => {
    setDragged(null);
    if (typeof value === "number") change({ at: asParameter(value) });
    else change({ against: new Date(value[0]).toISOString(), at: asParameter(value[1]) });
  };
  const label = useMemo(() => (ms: number) => (ms >= to ? "now" : moment(new Date(ms).toISOString())), [to]);
  const common = {
    className: classes.slider,
    min: from,
    max: to,
    step: Math.max(1, Math.round((to - from) / 2000)),
    label,
    size: "sm" as const,
  };
  return (
    <Paper className={classes.bar} withBorder radius={0} component="section" aria-label="Time">
      <Group gap={4} wrap="nowrap">
        <Step label="Previous change" onClick={() => go(nextMark(history.marks, now, -1))}>
          <IconChevronLeft size={15} />
        </Step>
        <Step label="Next change" onClick={() => go(nextMark(history.marks, now, 1))}>
          <IconChevronRight size={15} />
        </Step>
      </Group>
      <div className={classes.track}>
        <HistoryMarks marks={history.marks} range={history.range} onGo={go} />
        {then === null ? (
          <Slider
            {...common}
            thumbLabel="Time"
            value={typeof dragged === "number" ? dragged : now}
            onChange={setDragged}
            onChangeEnd={settle}
          />
        ) : (
          <RangeSlider
            {...common}
            minRange={0}
            thumbFromLabel="Compared with"
            thumbToLabel="Time"
            value={Array.isArray(dragged) ? dragged : [then, now]}
            onChange={setDragged}
            onChangeEnd={settle}
          />
        )}
        <Group justify="space-between" mt={2}>
          <Text size="xs" c="dimmed" className={classes.ends}>
            {moment(new Date(from).toISOString())}
          </Text>
          <Text size="xs" fw={600}>
            {then === null ? label(now) : `${label(then)} compared with ${label(now)}`}
          </Text>
          <Text size="xs" c="dimmed" className={classes.ends}>
            now
          </Text>
        </Group>
      </div>
      <Button
        size="compact-sm"
        variant={then === null ? "default" : "filled"}
        aria-pressed={then !== null}
        leftSection={<IconGitCompare size={15} />}
        onClick={() => change({ against: then === null ? new Date((from + now) / 2).toISOString() : null })}
      >
        Compare
      </Button>
    </Paper>
  );
}

function Step({ label, onClick, children }: { label: string; onClick: () => void; children: React.ReactNode }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={28} aria-label={label} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
