import { Button, Text } from "@mantine/core";
import { memo, useState } from "react";
import { shortName } from "@/api/names";
import { clock, cut, moment } from "@/parts/format";
import { EventBadge } from "@/parts/StateBadge";
import { changeSummary } from "@/views/events/changeSummary";
import classes from "@/views/events/events.module.css";
import type { Row } from "@/views/events/rows";

interface Props {
  rows: Row[];
  picked: string | null;
  onPick: (key: string) => void;
}

// At 200 events a second every beat of the stream brings as many rows as a screen has.
const DRAWN = 150;

/** One line for each event. */
export function EventList({ rows, picked, onPick }: Props) {
  const [drawn, setDrawn] = useState(DRAWN);
  return (
    <>
      <ul className={classes.list} aria-label="Events">
        {rows.slice(0, drawn).map((row) => (
          <Line key={row.key} row={row} isPicked={row.key === picked} onPick={onPick} />
        ))}
      </ul>
      {rows.length > drawn && (
        <Button mt="sm" mr="sm" size="xs" variant="default" onClick={() => setDrawn(drawn + 2 * DRAWN)}>
          Show more ({(rows.length - drawn).toLocaleString("en")} loaded)
        </Button>
      )}
    </>
  );
}

const Line = memo(function Line({ row, isPicked, onPick }: { row: Row; isPicked: boolean; onPick: Props["onPick"] }) {
  const changes = row.change === undefined ? [] : changeSummary(row.change);
  return (
    <li className={classes.line}>
      <button
        type="button"
        className={classes.row}
        aria-current={isPicked ? "true" : undefined}
        onClick={() => onPick(row.key)}
      >
        <time dateTime={row.at} title={moment(row.at)}>
          {isToday(row.at) ? clock(row.at) : moment(row.at).slice(5)}
        </time>
        <EventBadge type={row.type} />
        <bdi className={classes.name} title={row.subject === null ? undefined : cut(row.subject.nodeId, 500)}>
          {cut(row.subject?.name ?? "manual edit", 300)}
        </bdi>
        <Text component="span" size="xs" c="dimmed" className={`${classes.name} ${classes.flow}`}>
          {flow(row)}
        </Text>
        <Text component="span" size="xs" fw={550} ta="end" className={classes.flow}>
          {changes.join(", ")}
        </Text>
      </button>
    </li>
  );
});

/** `orders, prices → totals`: what it read and wrote, by short names. */
function flow(row: Row): string {
  const names = (ids: string[]) => ids.slice(0, 3).map((id) => cut(shortName(id.split(":").at(-1) ?? id), 60));
  const more = (ids: string[]) => (ids.length > 3 ? [`${ids.length - 3} more`] : []);
  const side = (ids: string[]) => [...names(ids), ...more(ids)].join(", ");
  if (row.inputs.length + row.outputs.length === 0) return "";
  return `${side(row.inputs)} → ${side(row.outputs)}`;
}

function isToday(at: string): boolean {
  return new Date(at).toDateString() === new Date().toDateString();
}
