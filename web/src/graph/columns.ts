/** Columns and where their values come from. */

import type { ColumnData, Graph, InputFieldRef } from "@/api/schema";
import { append } from "@/graph/append";

export interface ColumnLink {
  from: string; // ids of columns
  to: string;
  isDirect: boolean; // values are copied or computed; otherwise they only filter, join, group or sort
  isMasked: boolean; // the value cannot be read back
  how: string; // AGGREGATION, GROUP_BY, …
}

export interface ColumnRef {
  id: string;
  dataset: string; // node id
  field: string;
}

export interface ColumnLineage {
  columns: ReadonlyMap<string, ColumnRef>;
  links: readonly ColumnLink[];
}

export const NO_COLUMNS: ColumnLineage = { columns: new Map(), links: [] };

export const columnId = (dataset: string, field: string) => `datasetField:${dataset.slice("dataset:".length)}:${field}`;

/** The columns and links of several answers; a link that is in several counts once. */
export function columnsOf(answers: readonly Graph[]): ColumnLineage {
  const columns = new Map<string, ColumnRef>();
  const links = new Map<string, ColumnLink>();
  const place = (namespace: string, dataset: string, field: string) => {
    const node = `dataset:${namespace}:${dataset}`;
    const id = columnId(node, field);
    if (!columns.has(id)) columns.set(id, { id, dataset: node, field });
    return id;
  };
  for (const answer of answers) {
    for (const node of answer.graph) {
      const data = node.data as ColumnData;
      const to = place(data.namespace, data.dataset, data.field);
      for (const input of data.inputFields) {
        const from = place(input.namespace, input.dataset, input.field);
        const key = `${from} ${to}`;
        if (!links.has(key)) links.set(key, { from, to, ...kindOf(input) });
      }
    }
  }
  return { columns, links: [...links.values()] };
}

function kindOf(input: InputFieldRef): Pick<ColumnLink, "isDirect" | "isMasked" | "how"> {
  const transformations = input.transformations;
  if (transformations.length === 0) {
    // Old clients send IDENTITY or MASKED, and no kind.
    const how = input.transformationType ?? "";
    return { isDirect: how !== "INDIRECT", isMasked: how === "MASKED", how };
  }
  return {
    isDirect: transformations.some((one) => one.type !== "INDIRECT"),
    isMasked: transformations.some((one) => one.masking === true),
    how: [...new Set(transformations.map((one) => String(one.subtype ?? one.type ?? "")))]
      .filter((word) => word !== "")
      .join(", "),
  };
}

export interface Trace {
  /** Columns of the lineage, each with whether its use is direct. */
  columns: ReadonlyMap<string, boolean>;
  links: ReadonlySet<ColumnLink>;
}

/** The whole lineage of a column, up and down. A path is direct if each of its links is. */
export function trace(lineage: ColumnLineage, start: string): Trace {
  const columns = new Map<string, boolean>([[start, true]]);
  const links = new Set<ColumnLink>();
  const by = { from: index(lineage.links, "from"), to: index(lineage.links, "to") };
  for (const [near, far] of [
    ["from", "to"],
    ["to", "from"],
  ] as const) {
    const reached = new Map<string, boolean>([[start, true]]);
    const waiting = [start];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      for (const link of by[near].get(id) ?? []) {
        links.add(link);
        const isDirect = (reached.get(id) ?? false) && link.isDirect;
        const before = reached.get(link[far]);
        if (before === undefined || (isDirect && !before)) {
          reached.set(link[far], isDirect);
          waiting.push(link[far]);
        }
      }
    }
    for (const [id, isDirect] of reached) columns.set(id, isDirect || (columns.get(id) ?? false));
  }
  return { columns, links };
}

function index(links: readonly ColumnLink[], end: "from" | "to"): Map<string, ColumnLink[]> {
  const byEnd = new Map<string, ColumnLink[]>();
  for (const link of links) {
    append(byEnd, link[end], link);
  }
  return byEnd;
}
