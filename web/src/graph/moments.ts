/** The graph at a moment, and what two moments differ in. */

import type { Diff, EdgeRef, NodeRef } from "@/api/schema";
import type { Mark } from "@/graph/canvas";
import { connected, type Edge, edgesOf, type LastRun, type Lineage, type LineageNode } from "@/graph/model";

/** Everything that was there, from the difference to a moment before all. Known nodes bring what else is known of them. */
export function lineageOfDiff(diff: Diff, known: Lineage): Lineage {
  const nodes = new Map(diff.nodes.added.map((ref) => [ref.nodeId, known.nodes.get(ref.nodeId) ?? nodeOf(ref)]));
  return connected(nodes, diff.edges.added.map(edgeOf));
}

function nodeOf(ref: NodeRef): LineageNode {
  const common = { id: ref.nodeId, namespace: ref.namespace, name: ref.name, type: "", updatedAt: null };
  if (ref.type === "JOB") return { ...common, kind: "job", label: ref.name, parent: null, lastRun: null };
  const label = ref.name.split("/").findLast((part) => part !== "") ?? ref.name;
  return { ...common, kind: "dataset", label, fields: null, tags: [], writtenAt: null };
}

const edgeOf = (edge: EdgeRef): Edge => ({ from: edge.origin, to: edge.destination });

export interface Compared {
  lineage: Lineage; // all that is in either
  cardMarks: ReadonlyMap<string, Mark>;
  wireMarks: ReadonlyMap<string, Mark>;
}

/** `changed`: ids of datasets with another schema. */
export function compared(before: Lineage, after: Lineage, changed: Iterable<string>): Compared {
  const nodes = new Map([...before.nodes, ...after.nodes]);
  const cardMarks = new Map<string, Mark>();
  for (const id of changed) if (nodes.has(id)) cardMarks.set(id, "changed");
  for (const id of nodes.keys()) {
    if (!before.nodes.has(id)) cardMarks.set(id, "added");
    if (!after.nodes.has(id)) cardMarks.set(id, "removed");
  }
  const [old, young] = [keysOf(before), keysOf(after)];
  const wireMarks = new Map<string, Mark>();
  for (const key of young) if (!old.has(key)) wireMarks.set(key, "added");
  for (const key of old) if (!young.has(key)) wireMarks.set(key, "removed");
  return { lineage: connected(nodes, [...edgesOf(before), ...edgesOf(after)]), cardMarks, wireMarks };
}

function keysOf(lineage: Lineage): Set<string> {
  return new Set([...edgesOf(lineage)].map(({ from, to }) => `${from} ${to}`));
}

/** The latest run as it was then; null if it had not begun. */
export function runAt(run: LastRun | null, at: string | null): LastRun | null {
  if (run === null || at === null) return run;
  const then = Date.parse(at);
  if (run.startedAt === null || Date.parse(run.startedAt) > then) return null;
  if (run.endedAt !== null && Date.parse(run.endedAt) > then) return { ...run, state: "RUNNING", endedAt: null };
  return run;
}
