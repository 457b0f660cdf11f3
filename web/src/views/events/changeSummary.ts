import type { LiveChange } from "@/api/schema";
import { plural } from "@/parts/format";
import { stateName } from "@/theme/states";

/** What an event changed, in a few words; empty if nothing is new. */
export function changeSummary(change: LiveChange): string[] {
  const { run } = change;
  const parts: string[] = [];
  if (run !== null && run.before !== run.state) parts.push(run.before === null ? "new run" : stateName(run.state));
  const add = (count: number, one: string) => count > 0 && parts.push(plural(count, one));
  add(change.addedNodes.length, "new node");
  add(change.addedEdges.length, "new edge");
  if (change.removedNodes.length > 0) parts.push(`${plural(change.removedNodes.length, "node")} removed`);
  if (change.removedEdges.length > 0) parts.push(`${plural(change.removedEdges.length, "edge")} removed`);
  if (change.schemas.length > 0) parts.push("schema changed");
  if (change.columns.length > 0) parts.push("column lineage changed");
  return parts;
}
