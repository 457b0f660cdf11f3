/** The graph by keyboard: arrows walk along edges. */

import { useHotkeys } from "@mantine/hooks";
import { useReactFlow } from "@xyflow/react";
import type { Card, Scene } from "@/graph/scene";

interface Keys {
  scene: Scene;
  selected: string | null;
  focus: string | null;
  select: (id: string | null) => void;
  details: (id: string) => void;
  fit: () => void;
}

export function useKeys({ scene, selected, focus, select, details, fit }: Keys): void {
  const flow = useReactFlow();
  const go = (way: "left" | "right" | "up" | "down") => {
    const card = selected === null ? undefined : scene.cards.get(selected);
    const next =
      card === undefined ? (scene.cards.get(focus ?? "") ?? [...scene.cards.values()][0]) : nextCard(scene, card, way);
    if (next === undefined) return;
    select(next.id);
    void flow.setCenter(next.x + next.width / 2, next.y + next.height / 2, {
      zoom: Math.max(flow.getZoom(), 0.6),
      duration: 160,
    });
  };
  useHotkeys([
    ["ArrowLeft", () => go("left")],
    ["ArrowRight", () => go("right")],
    ["ArrowUp", () => go("up")],
    ["ArrowDown", () => go("down")],
    ["Enter", () => selected !== null && details(selected), { preventDefault: false }],
    ["Escape", () => select(null), { preventDefault: false }],
    ["+", () => void flow.zoomIn({ duration: 120 })],
    ["shift++", () => void flow.zoomIn({ duration: 120 })],
    ["=", () => void flow.zoomIn({ duration: 120 })],
    ["-", () => void flow.zoomOut({ duration: 120 })],
    ["F", fit],
  ]);
}

/** Sideways along an edge, the nearest in height first; up and down within the same column. */
export function nextCard(scene: Scene, card: Card, way: "left" | "right" | "up" | "down"): Card | undefined {
  const near = (a: Card, b: Card) => Math.abs(a.y - card.y) - Math.abs(b.y - card.y);
  const cards = (ids: string[]) => ids.map((id) => scene.cards.get(id)).filter((one) => one !== undefined);
  const flows = scene.wires.filter((wire) => wire.link === null);
  if (way === "left") return cards(flows.filter((wire) => wire.to === card.id).map((wire) => wire.from)).sort(near)[0];
  if (way === "right") return cards(flows.filter((wire) => wire.from === card.id).map((wire) => wire.to)).sort(near)[0];
  return [...scene.cards.values()]
    .filter((other) => other.x === card.x && (way === "up" ? other.y < card.y : other.y > card.y))
    .sort(near)[0];
}
