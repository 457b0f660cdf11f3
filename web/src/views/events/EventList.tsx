import { Text } from "@mantine/core";
import { memo } from "react";
import { EventBadge } from "@/parts/StateBadge";
import { clock, cut, moment } from "@/parts/words";
import classes from "@/views/events/events.module.css";
import { newsOf } from "@/views/events/news";
import type { Row } from "@/views/events/rows";

interface Props {
  rows: Row[];
  picked: string | null;
  onPick: (key: string) => void;
}

const DRAWN = 500; // more rows than anybody reads, and few enough for the browser

/** One line for each event. */
export function EventList({ rows, picked, onPick }: Props) {
  return (
    <ul className={classes.list} aria-label="Events">
      {rows.slice(0, DRAWN).map((row) => (
        <Line key={row.key} row={row} isPicked={row.key === picked} onPick={onPick} />
      ))}
    </ul>
  );
}

const Line = memo(function Line({ row, isPicked, onPick }: { row: Row; isPicked: boolean; onPick: Props["onPick"] }) {
  const news = row.change === undefined ? [] : newsOf(row.change);
  return (
    <li>
      <button
        type="button"
        className={classes.row}
        aria-current={isPicked ? "true" : undefined}
        onClick={() => onPick(row.key)}
      >
        <time dateTime={row.at} title={moment(row.at)}>
          {clock(row.at)}
        </time>
        <EventBadge type={row.type} />
        <bdi className={classes.name} title={row.subject === null ? undefined : cut(row.subject.nodeId, 500)}>
          {cut(row.subject?.name ?? "someone's edit", 300)}
        </bdi>
        <Text component="span" size="xs" c="dimmed" className={classes.flow}>
          {news.length > 0 ? news.join(", ") : `${row.inputs.length} in, ${row.outputs.length} out`}
        </Text>
      </button>
    </li>
  );
});
