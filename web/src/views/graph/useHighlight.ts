import { useMemo } from "react";
import type { Trace } from "@/graph/columns";
import { type Highlight, highlightCard, highlightColumn, highlightWire } from "@/graph/highlight";
import type { Scene, Wire } from "@/graph/scene";

/** What stands out: the lineage of a column, else the wire or card under the pointer, else the selected card. */
export function useHighlight(
  scene: Scene,
  trace: Trace | null,
  wire: Wire | null,
  hovered: string | null,
  selected: string | null,
): Highlight | null {
  return useMemo(() => {
    if (trace !== null) return highlightColumn(scene, trace);
    if (wire !== null) return highlightWire(wire);
    const card = hovered ?? selected;
    return card !== null && scene.cards.has(card) ? highlightCard(scene, card) : null;
  }, [scene, trace, wire, hovered, selected]);
}
