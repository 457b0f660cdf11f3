/** Sizes of cards and their rows of columns. */

import { columnId, type Trace } from "@/graph/columns";
import type { DatasetNode } from "@/graph/model";
import type { ShownNode } from "@/graph/visible";

export const HEAD = 58;
export const ROW = 23;
const FOOT = 6;
/** Columns of one card; beyond these only the number is shown. */
export const MOST_ROWS = 20;

export interface Row {
  id: string | null; // of the column; null: a note such as "12 more"
  text: string;
  type: string | null;
}

/** The rows of a card: all columns of an opened one, else only those of the highlighted lineage. */
export function rowsOf(node: ShownNode, isOpen: boolean, trace: Trace | null): readonly Row[] {
  if (node.kind !== "dataset") return [];
  if (!isOpen) return trace === null ? [] : tracedRows(node, trace);
  if (node.fields === null) return [{ id: null, text: "Loading columns…", type: null }];
  if (node.fields.length === 0) return [{ id: null, text: "No schema reported", type: null }];
  const rows = node.fields.map((field) => ({ id: columnId(node.id, field.name), text: field.name, type: field.type }));
  if (rows.length <= MOST_ROWS) return rows;
  const onLineage = rows.slice(MOST_ROWS).filter((row) => trace?.columns.has(row.id));
  const note = {
    id: null,
    text: `${rows.length - MOST_ROWS - onLineage.length} more columns in the details`,
    type: null,
  };
  return [...rows.slice(0, MOST_ROWS), ...onLineage, note];
}

function tracedRows(node: DatasetNode, trace: Trace): Row[] {
  const prefix = columnId(node.id, "");
  const known = new Map((node.fields ?? []).map((field) => [field.name, field.type]));
  const names = [...trace.columns.keys()].filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
  // Another dataset's name may begin with ours and a colon.
  const ours = node.fields === null ? names : names.filter((name) => known.has(name));
  const order = [...known.keys()];
  ours.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return ours.map((name) => ({ id: columnId(node.id, name), text: name, type: known.get(name) ?? null }));
}

export const heightOf = (rows: readonly Row[]) => HEAD + (rows.length > 0 ? rows.length * ROW + FOOT : 0);

/** Where the edges of a row end, from the top of the card. */
export const rowY = (index: number) => HEAD + (index + 0.5) * ROW;

/** Where the edges of the card itself end. */
export const HEAD_Y = HEAD / 2;
