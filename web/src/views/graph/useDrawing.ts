/** How the canvas draws: colours, states, labels, and the dots that move along wires of running jobs. */

import { useCallback, useMemo } from "react";
import type { DrawStyle } from "@/graph/canvas";
import type { Highlight } from "@/graph/highlight";
import type { Moving } from "@/graph/motion";
import type { Palette } from "@/graph/palette";
import type { Card, Scene, Wire } from "@/graph/scene";
import type { GraphState } from "@/state/graphState";
import { liveJobs } from "@/state/liveJobs";
import { wireLabel } from "@/state/throughput";
import { latestRun } from "@/views/graph/cardContext";
import type { KnownLineage } from "@/views/graph/useLineage";

interface Options {
  palette: Palette;
  highlight: Highlight | null;
  colourOf: (namespace: string) => string;
  known: KnownLineage;
  state: GraphState;
}

export function useDrawStyle({ palette, highlight, colourOf, known, state }: Options): Omit<DrawStyle, "isFar"> {
  const { cardMarks, wireMarks } = known;
  const { at, hasLabels } = state;
  // The same function while only the highlight changes: the map is not drawn again then.
  const colourOfCard = useCallback((card: Card) => colourOf(card.node.namespace), [colourOf]);
  return useMemo(
    () => ({
      palette,
      highlight,
      colourOf: colourOfCard,
      colourOfNamespace: colourOf,
      stateOf: (card: Card) => latestRun(card.node, at)?.state ?? null,
      cardMarks,
      wireMarks,
      labelOf: (wire: Wire) => {
        if (wire.link !== null) return wire.link.isMasked ? "masked" : null;
        if (!hasLabels) return null;
        const job = jobOf(wire);
        return wireLabel(liveJobs.get(job)?.throughput ?? null, wire.to === job);
      },
    }),
    [palette, highlight, colourOf, colourOfCard, cardMarks, wireMarks, at, hasLabels],
  );
}

/** The wires with moving dots, of those jobs that run when it is called. */
export function useMoving(scene: Scene, colour: string, isOn: boolean): () => readonly Moving[] {
  return useCallback(() => {
    if (!isOn) return [];
    return scene.wires.flatMap((wire) => {
      const card = scene.cards.get(jobOf(wire));
      if (wire.link !== null || card === undefined || latestRun(card.node, null)?.state !== "RUNNING") return [];
      const throughput = liveJobs.get(card.id)?.throughput;
      const rate = wire.to === card.id ? (throughput?.inRate ?? throughput?.outRate) : throughput?.outRate;
      return [{ wire, colour, rate: rate ?? null }];
    });
  }, [scene, colour, isOn]);
}

const jobOf = (wire: Wire) => (wire.from.startsWith("job:") ? wire.from : wire.to);
