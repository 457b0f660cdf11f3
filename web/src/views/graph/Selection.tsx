import {
  ActionIcon,
  Badge,
  Button,
  CloseButton,
  Group,
  Menu,
  Paper,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from "@mantine/core";
import {
  IconArrowsSplit2,
  IconChevronLeft,
  IconChevronRight,
  IconDots,
  IconEyeOff,
  IconFocus2,
  IconListDetails,
  IconMinus,
  IconPlus,
  IconStack2,
  IconZoomQuestion,
} from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "wouter";
import type { Lineage } from "@/graph/model";
import { neighbours, type ShownNode, step, type Visible, type Way } from "@/graph/visible";
import { type GraphState, toggled } from "@/state/graphState";
import type { Change } from "@/state/useGraphState";
import classes from "@/views/graph/Panels.module.css";

interface Props {
  node: ShownNode;
  lineage: Lineage;
  visible: Visible;
  state: GraphState;
  change: Change;
  flyTo: (id: string) => void;
  onPath: (from: string) => void;
}

/** The selected card: what one can do with it, and its edges as a list that is read out. */
export default function Selection({ node, lineage, visible, state, change, flyTo, onPath }: Props) {
  const parent = node.kind === "job" ? node.parent : null;
  return (
    <Paper
      className={classes.selection}
      shadow="sm"
      withBorder
      component="section"
      aria-label={`Selected: ${node.name}`}
    >
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <div style={{ minWidth: 0 }}>
          <Text fw={650} size="sm" className={classes.long}>
            <bdi>{node.label}</bdi>
          </Text>
          <Text size="xs" c="dimmed" className={classes.long}>
            {node.kind === "dataset" ? node.name : node.kind} · {node.namespace || "no namespace"}
          </Text>
        </div>
        <CloseButton size="sm" aria-label="Deselect" onClick={() => change({ selected: null })} />
      </Group>
      <Group gap={6} mt="xs" wrap="nowrap">
        <Button
          size="compact-sm"
          leftSection={<IconListDetails size={15} />}
          onClick={() => change({ details: node.id })}
        >
          Details
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconFocus2 size={15} />}
          disabled={state.node === node.id || node.kind === "group"}
          onClick={() =>
            change({ node: node.id, pathFrom: null, pathTo: null, opened: new Set(), closed: new Set(), view: null })
          }
        >
          Focus
        </Button>
        <Tooltip label="Hide this card">
          <ActionIcon
            variant="default"
            aria-label="Hide this card"
            onClick={() => change({ hidden: toggled(state.hidden, node.id), selected: null })}
          >
            <IconEyeOff size={15} />
          </ActionIcon>
        </Tooltip>
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon variant="default" aria-label="More">
              <IconDots size={15} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconArrowsSplit2 size={15} />} onClick={() => onPath(node.id)}>
              Path to another card…
            </Menu.Item>
            <Menu.Item
              component={Link}
              href={`/impact?node=${encodeURIComponent(node.id)}`}
              leftSection={<IconArrowsSplit2 size={15} />}
            >
              Impact
            </Menu.Item>
            <Menu.Item
              component={Link}
              href={`/why?node=${encodeURIComponent(node.id)}`}
              leftSection={<IconZoomQuestion size={15} />}
            >
              Root cause
            </Menu.Item>
            {parent !== null && (
              <Menu.Item
                leftSection={<IconStack2 size={15} />}
                onClick={() => change({ collapsed: toggled(state.collapsed, parent), selected: parent })}
              >
                Collapse group
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      </Group>
      {node.kind !== "group" && (
        <div className={classes.list}>
          <Stack gap={6}>
            {(["up", "down"] as const).map((way) => (
              <Edges key={way} {...{ way, node, lineage, visible, state, change, flyTo }} />
            ))}
          </Stack>
        </div>
      )}
    </Paper>
  );
}

/** A longer list has a filter. */
const FILTER_FROM = 8;
const MOST_LISTED = 100;

interface EdgesProps extends Omit<Props, "onPath"> {
  way: Way;
}

function Edges({ way, node, lineage, visible, state, change, flyTo }: EdgesProps) {
  const all = neighbours(lineage, node.id, way);
  const shown = all.filter((id) => visible.nodes.has(id));
  const here = step(way, node.id);
  const words = way === "up" ? "upstream" : "downstream";
  const [filter, setFilter] = useState("");
  const label = (id: string) => lineage.nodes.get(id)?.label ?? id;
  const listed = all.filter((id) => label(id).toLowerCase().includes(filter.toLowerCase()));
  const isClosed = state.closed.has(here);
  const more = () =>
    change({
      opened: state.node === null ? state.opened : new Set([...state.opened, here]),
      whole: new Set([...state.whole, here]),
      closed: isClosed ? toggled(state.closed, here) : state.closed,
    });
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" mb={2}>
        <Group gap={4}>
          {way === "up" ? <IconChevronLeft size={13} /> : <IconChevronRight size={13} />}
          <Text size="xs" fw={600}>
            {way === "up" ? "Upstream" : "Downstream"}
          </Text>
          <Badge size="xs" variant="light" color="gray" c="var(--mantine-color-text)">
            {shown.length < all.length ? `${shown.length} of ${all.length} shown` : all.length}
          </Badge>
        </Group>
        <Group gap={2}>
          <Tooltip label={`Show more ${words}`}>
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={`Show more ${words}`}
              onClick={more}
              disabled={shown.length === all.length && !isClosed}
            >
              <IconPlus size={13} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={`Collapse ${words}`}>
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={`Collapse ${words}`}
              disabled={shown.length === 0}
              onClick={() => change({ closed: new Set([...state.closed, here]), opened: without(state.opened, here) })}
            >
              <IconMinus size={13} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {all.length > FILTER_FROM && (
        <TextInput
          size="xs"
          mb={4}
          aria-label={`Filter ${words}`}
          placeholder={`Filter ${all.length}`}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      <ul className={classes.edges} aria-label={words}>
        {listed.slice(0, MOST_LISTED).map((id) => (
          <li key={id}>
            <button
              type="button"
              data-shown={visible.nodes.has(id)}
              onClick={() => {
                if (!visible.nodes.has(id))
                  change({ picked: new Set([...state.picked, id]), opened: new Set([...state.opened, here]) });
                flyTo(id);
              }}
            >
              <bdi>{label(id)}</bdi>
            </button>
          </li>
        ))}
        {listed.length > MOST_LISTED && <li className={classes.note}>and {listed.length - MOST_LISTED} more</li>}
        {all.length === 0 && <li className={classes.note}>none known</li>}
      </ul>
    </div>
  );
}

function without<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  return set.has(value) ? toggled(set, value) : set;
}
