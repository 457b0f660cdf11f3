/** The order of lanes: those that exchange much stand beside each other. */

import type { Box, Link } from "@/graph/layout";

export function laneOrder(boxes: readonly Box[], links: readonly Link[]): string[] {
  const laneOf = new Map(boxes.map((box) => [box.id, box.lane ?? ""]));
  const between = new Map<string, number>();
  const key = (a: string, b: string) => (a < b ? `${a}\n${b}` : `${b}\n${a}`);
  for (const { from, to } of links) {
    const [a, b] = [laneOf.get(from), laneOf.get(to)];
    if (a !== undefined && b !== undefined && a !== b) between.set(key(a, b), (between.get(key(a, b)) ?? 0) + 1);
  }
  const left = [...new Set(laneOf.values())].sort();
  const order: string[] = [];
  // Each next lane is put at that end of the row to which it is tied most.
  while (left.length > 0) {
    const ties = (lane: string, end: string | undefined) =>
      end === undefined ? 0 : (between.get(key(lane, end)) ?? 0);
    const tie = (lane: string) => Math.max(ties(lane, order[0]), ties(lane, order.at(-1)));
    const next = left.reduce((a, b) => (tie(b) > tie(a) ? b : a));
    left.splice(left.indexOf(next), 1);
    if (ties(next, order[0]) > ties(next, order.at(-1))) order.unshift(next);
    else order.push(next);
  }
  return order;
}
