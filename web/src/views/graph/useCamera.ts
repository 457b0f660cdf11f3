/** What the window shows of the graph: all of it, one card, or where the first look at a subject begins. */

import { type ReactFlowInstance, useReactFlow } from "@xyflow/react";
import { useCallback, useEffect, useRef } from "react";
import type { Card, Scene } from "@/graph/scene";
import { readState } from "@/state/graphState";
import type { Change } from "@/state/useGraphState";
import { LEGEND, TOOLBAR } from "@/views/graph/sizes";

/** A card that is flown to is at least this near. */
const NEAR = 0.85;
/** Windows that are less wide are those of phones: cards are read one by one. */
const NARROW = 600;
const READABLE = 0.6;
/** A small graph is not blown up to fill the window. */
const MOST_FIT = 1.05;

interface Options {
  scene: Scene;
  subject: string;
  focus: string | null;
  width: number; // of the window
  height: number; // without what lies over its lower end
  change: Change;
}

interface Camera {
  fit: () => void;
  /** Selects a card and moves to it, as soon as it is there. */
  flyTo: (id: string) => void;
}

export function useCamera({ scene, subject, focus, width, height, change }: Options): Camera {
  const flow = useReactFlow();
  const fit = useCallback(() => {
    if (scene.cards.size > 0) void flow.fitBounds(scene.extent, { padding: 0.12, duration: 200 });
  }, [flow, scene]);
  const target = useRef<string | null>(null); // a card that may not be there yet
  const flyTo = useCallback(
    (id: string) => {
      change({ selected: id }, { replace: true });
      target.current = id;
      moveToTarget(target, scene, flow);
    },
    [flow, scene, change],
  );
  useEffect(() => moveToTarget(target, scene, flow), [scene, flow]);
  useFirstLook(subject, width, height, scene, focus, flow);
  return { fit, flyTo };
}

function moveToTarget(target: { current: string | null }, scene: Scene, flow: ReactFlowInstance): void {
  const card = scene.cards.get(target.current ?? "");
  if (card === undefined) return;
  target.current = null;
  const zoom = Math.max(NEAR, flow.getZoom());
  void flow.setCenter(card.x + card.width / 2, card.y + card.height / 2, { zoom, duration: 350 });
}

const leftmost = (a: Card, b: Card) => a.x - b.x || a.y - b.y;

/** The first scene of a subject is looked at as a whole, or around its focus where that would be too small to read. */
function useFirstLook(
  subject: string,
  width: number,
  height: number,
  scene: Scene,
  focus: string | null,
  flow: ReactFlowInstance,
): void {
  const seen = useRef(readState(window.location.search).view === null ? "" : "as in the address");
  useEffect(() => {
    if (scene.cards.size === 0 || width === 0 || seen.current === subject) return;
    const isFromAddress = seen.current === "as in the address";
    seen.current = subject;
    if (isFromAddress) return;
    // On a phone all of it would be a stamp: it shows where the graph begins, and one moves on from there.
    const card =
      scene.cards.get(focus ?? "") ?? (width < NARROW ? [...scene.cards.values()].sort(leftmost)[0] : undefined);
    const { extent } = scene;
    const free = height - TOOLBAR - LEGEND;
    const zoom = Math.min(MOST_FIT, (width * 0.92) / extent.width, (free * 0.9) / extent.height);
    const middle = { x: extent.x + extent.width / 2, y: extent.y + extent.height / 2 };
    const isTooSmall = zoom < (width < NARROW ? READABLE : 0.35) && card !== undefined;
    const at = isTooSmall ? { x: card.x + card.width / 2, y: card.y + card.height / 2 } : middle;
    const used = isTooSmall ? NEAR : zoom;
    void flow.setViewport({ x: width / 2 - at.x * used, y: TOOLBAR + free / 2 - at.y * used, zoom: used });
  }, [subject, scene, focus, width, height, flow]);
}
