import { Anchor, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { RunState } from "@/api/schema";
import { cut, moment } from "@/parts/format";
import { JsonTree } from "@/parts/JsonTree";
import { producerOf, useEventAt } from "@/parts/rawEvents";
import { EventBadge } from "@/parts/StateBadge";
import classes from "@/views/details/details.module.css";
import { producerName } from "@/views/details/links";

const FIRST = 3;
const LAST = 5;

/** Every event of a run, with who sent it. The middle of a long stream is folded. */
export function RunEvents({ runId, states }: { runId: string; states: RunState[] }) {
  const [all, setAll] = useState(false);
  const folded = !all && states.length > FIRST + LAST + 1;
  const head = folded ? states.slice(0, FIRST) : states;
  const tail = folded ? states.slice(-LAST) : [];
  return (
    <ol className={classes.steps}>
      {head.map((state) => (
        <RunEvent key={state.position} runId={runId} state={state} />
      ))}
      {folded && (
        <li className={classes.step}>
          <Anchor component="button" type="button" size="sm" onClick={() => setAll(true)}>
            {states.length - FIRST - LAST} more events
          </Anchor>
        </li>
      )}
      {tail.map((state) => (
        <RunEvent key={state.position} runId={runId} state={state} />
      ))}
    </ol>
  );
}

function RunEvent({ runId, state }: { runId: string; state: RunState }) {
  const [isOpen, setOpen] = useState(false);
  const event = useEventAt({ at: state.at, type: state.type, runId });
  const producer = event.data === undefined ? undefined : producerOf(event.data);
  return (
    <li className={classes.step}>
      <Group gap="xs" wrap="nowrap">
        <EventBadge type={state.type} />
        <Text size="sm" style={{ whiteSpace: "nowrap" }}>
          {moment(state.at)}
        </Text>
        <Text size="xs" c="dimmed" truncate title={producer && cut(producer, 300)}>
          {event.isPending ? "…" : producer === undefined ? "unknown producer" : producerName(cut(producer, 300))}
        </Text>
        <Anchor
          component="button"
          type="button"
          size="xs"
          ml="auto"
          style={{ whiteSpace: "nowrap" }}
          aria-expanded={isOpen}
          aria-label={`Event ${state.position}`}
          onClick={() => setOpen(!isOpen)}
        >
          event {state.position}
        </Anchor>
      </Group>
      {isOpen && event.data !== undefined && <JsonTree value={event.data} label="the event" open={1} />}
    </li>
  );
}
