import { IconEyeOff } from "@tabler/icons-react";
import type { Row } from "@/graph/cards";
import { ROW } from "@/graph/cards";
import { useActions } from "@/views/graph/actions";
import classes from "@/views/graph/ColumnRows.module.css";
import { useCardContext } from "@/views/graph/cardContext";

/** The columns of a card. A click highlights the lineage of one. */
export function ColumnRows({ rows }: { rows: readonly Row[] }) {
  return (
    <ul className={classes.rows} aria-label="Columns">
      {rows.map((row) => (
        <li key={row.id ?? row.text} style={{ height: ROW }}>
          {row.id === null ? <span className={classes.note}>{row.text}</span> : <Column row={row} id={row.id} />}
        </li>
      ))}
    </ul>
  );
}

function Column({ row, id }: { row: Row; id: string }) {
  const { trace } = useCardContext();
  const actions = useActions();
  const isDirect = trace?.columns.get(id);
  const isStart = trace !== null && startOf(trace.columns) === id;
  const isMasked = trace !== null && [...trace.links].some((link) => link.to === id && link.isMasked);
  return (
    <button
      type="button"
      className={classes.column}
      data-way={isDirect === undefined ? (trace === null ? undefined : "none") : isDirect ? "direct" : "indirect"}
      data-start={isStart || undefined}
      aria-pressed={isStart}
      title={`${row.text}${row.type === null ? "" : `: ${row.type}`}${isMasked ? " (masked)" : ""}`}
      onClick={() => actions.traceColumn(isStart ? null : id)}
    >
      <span className={classes.columnName}>
        <bdi>{row.text}</bdi>
      </span>
      {isMasked && <IconEyeOff size={12} aria-label="masked" />}
      <span className={classes.columnType}>{row.type}</span>
    </button>
  );
}

/** The column that was clicked comes first in its trace. */
const startOf = (columns: ReadonlyMap<string, boolean>) => columns.keys().next().value;
