import type { LiveChange } from "@/api/schema";
import { lookOf } from "@/parts/states";
import { plural } from "@/parts/words";

/** What an event changed, in a few words; empty if it told nothing new. */
export function newsOf(change: LiveChange): string[] {
  const { run } = change;
  const news: string[] = [];
  if (run !== null && run.before !== run.state)
    news.push(run.before === null ? "new run" : lookOf(run.state).word.toLowerCase());
  const add = (count: number, one: string) => count > 0 && news.push(plural(count, one));
  add(change.addedNodes.length, "new node");
  add(change.addedEdges.length, "new edge");
  if (change.removedNodes.length > 0) news.push(`${plural(change.removedNodes.length, "node")} gone`);
  if (change.removedEdges.length > 0) news.push(`${plural(change.removedEdges.length, "edge")} gone`);
  if (change.schemas.length > 0) news.push("schema");
  if (change.columns.length > 0) news.push("column lineage");
  return news;
}
