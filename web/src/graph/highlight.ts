/** What stands out: everything up and down of a card, or the lineage of a column. */

import { append } from "@/graph/append";
import type { Trace } from "@/graph/columns";
import type { Scene, Wire } from "@/graph/scene";

export interface Highlight {
  cards: ReadonlySet<string>;
  wires: ReadonlySet<string>;
}

/** Everything upstream and downstream of a card, as far as it is shown. */
export function highlightCard(scene: Scene, card: string): Highlight {
  const cards = new Set([card]);
  const wires = new Set<string>();
  const by = ends(scene.wires.filter((wire) => wire.link === null));
  for (const [near, far] of [
    ["from", "to"],
    ["to", "from"],
  ] as const) {
    const seen = new Set([card]);
    const waiting = [card];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      for (const wire of by[near].get(id) ?? []) {
        wires.add(wire.id);
        if (seen.has(wire[far])) continue;
        seen.add(wire[far]);
        cards.add(wire[far]);
        waiting.push(wire[far]);
      }
    }
  }
  return { cards, wires };
}

/** The wires of a column's lineage, and the jobs that it leads through. */
export function highlightColumn(scene: Scene, trace: Trace): Highlight {
  const cards = new Set<string>();
  const wires = new Set<string>();
  for (const wire of scene.wires) {
    if (wire.link === null || !trace.links.has(wire.link)) continue;
    wires.add(wire.id);
    cards.add(wire.from).add(wire.to);
  }
  for (const card of scene.cards.values()) {
    if (card.rows.some((row) => row.id !== null && trace.columns.has(row.id))) cards.add(card.id);
  }
  const flows = scene.wires.filter((wire) => wire.link === null);
  const by = ends(flows);
  for (const card of scene.cards.values()) {
    if (card.node.kind === "dataset") continue;
    const [before, after] = [by.to.get(card.id) ?? [], by.from.get(card.id) ?? []];
    if (before.some((wire) => cards.has(wire.from)) && after.some((wire) => cards.has(wire.to))) cards.add(card.id);
  }
  return { cards, wires };
}

/** One wire and its two ends. */
export const highlightWire = (wire: Wire): Highlight => ({
  cards: new Set([wire.from, wire.to]),
  wires: new Set([wire.id]),
});

function ends(wires: readonly Wire[]): { from: Map<string, Wire[]>; to: Map<string, Wire[]> } {
  const byEnd = { from: new Map<string, Wire[]>(), to: new Map<string, Wire[]>() };
  for (const wire of wires) {
    for (const end of ["from", "to"] as const) {
      append(byEnd[end], wire[end], wire);
    }
  }
  return byEnd;
}
