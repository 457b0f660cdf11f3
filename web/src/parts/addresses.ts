/** Addresses of other views, with a question already in them. */

import type { ResolvedNode } from "@/api/hooks";
import { kindOf } from "@/api/names";

interface GraphOptions {
  up?: number; // how many jobs far
  down?: number;
  at?: string; // the graph as it was
  against?: string; // compared with this moment
}

/** The graph around a node. The lineage of a column is highlighted, if its dataset is known. */
export function graphAddress(node: string | ResolvedNode, options: GraphOptions = {}): string {
  const params = new URLSearchParams();
  if (typeof node === "string") params.set("node", node);
  else {
    params.set("node", node.nodeId);
    if (node.column !== undefined) {
      params.set("column", columnId(node.namespace, node.name, node.column));
      params.set("columns", "1");
    }
  }
  for (const [name, value] of Object.entries(options)) if (value !== undefined) params.set(name, String(value));
  return `/graph?${params}`;
}

export function columnId(namespace: string, dataset: string, column: string): string {
  return `datasetField:${namespace}:${dataset}:${column}`;
}

/** The id that the node was resolved from: of the column, where it was one. */
export function idOf(node: ResolvedNode): string {
  return node.column === undefined ? node.nodeId : columnId(node.namespace, node.name, node.column);
}

export function impactAddress(nodeId: string): string {
  return `/impact?node=${encodeURIComponent(nodeId)}`;
}

export function rootCauseAddress(nodeId: string): string {
  return `/why?node=${encodeURIComponent(nodeId)}`;
}

/** Whether the graph can begin at it; columns need their dataset, runs have no place in it. */
export function isOnGraph(nodeId: string): boolean {
  return !nodeId.startsWith("run:") && kindOf(nodeId) !== "column";
}
