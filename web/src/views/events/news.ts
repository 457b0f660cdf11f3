import type { LiveChange } from "@/api/schema";
import { plural } from "@/parts/words";
import { stateName } from "@/states";

/** What an event changed, in a few words; empty if it told nothing new. */
export function newsOf(change: LiveChange): string[] {
  const { run } = change;
  const news: string[] = [];
  if (run !== null && run.before !== run.state) news.push(run.before === null ? "new run" : stateName(run.state));
  const add = (count: number, one: string) => count > 0 && news.push(plural(count, one));
  add(change.addedNodes.length, "new node");
  add(change.addedEdges.length, "new edge");
  if (change.removedNodes.length > 0) news.push(`${plural(change.removedNodes.length, "node")} removed`);
  if (change.removedEdges.length > 0) news.push(`${plural(change.removedEdges.length, "edge")} removed`);
  if (change.schemas.length > 0) news.push("schema changed");
  if (change.columns.length > 0) news.push("column lineage changed");
  return news;
}
