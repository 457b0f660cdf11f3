/** From the known graph to what is drawn: what is visible, its layout in a worker, the places of all. */

import { useEffect, useMemo, useRef, useState } from "react";
import { type Trace, trace } from "@/graph/columns";
import { laneOrder } from "@/graph/lanes";
import type { Places, Task } from "@/graph/layout";
import { boxesOf, EMPTY_SCENE, linksOf, rowsOfAll, type Scene, type Shown, sceneOf } from "@/graph/scene";
import { type Visible, visible } from "@/graph/visible";
import { type GraphState, subjectOf, visibleOptions } from "@/state/graphState";
import { layoutInWorker } from "@/views/graph/layoutInWorker";
import type { KnownLineage } from "@/views/graph/useLineage";

export interface Drawn {
  scene: Scene;
  visible: Visible;
  trace: Trace | null;
  /** Another subject than before: its first scene should be looked at as a whole. */
  subject: string;
  isPlacing: boolean;
}

/** `tidied` counts how often everything was to be laid out anew. */
export function useScene(known: KnownLineage, state: GraphState, tidied: number): Drawn {
  const { lineage, columns } = known;
  const shownNow = useMemo(() => visible(lineage, visibleOptions(state)), [lineage, state]);
  const way = useMemo(() => (state.column === null ? null : trace(columns, state.column)), [columns, state.column]);
  const shown = useMemo<Shown>(() => {
    const isOpen = (id: string) => state.hasColumns !== state.cards.has(id);
    return { visible: shownNow, rows: rowsOfAll(shownNow, isOpen, way), columns, trace: way };
  }, [shownNow, columns, way, state.hasColumns, state.cards]);

  const subject = `${subjectOf(state)} ${tidied}`;
  const [done, setDone] = useState<{ shown: Shown; places: Places; subject: string; hasLanes: boolean } | null>(null);
  const last = useRef<{ places: Places; subject: string } | null>(null);
  useEffect(() => {
    if (shown.visible.nodes.size === 0) {
      setDone(null);
      return;
    }
    let isStale = false;
    const before = last.current?.subject === subject ? last.current.places : null;
    layoutInWorker(taskOf(shown, state.hasLanes, before)).then((places) => {
      if (isStale) return;
      last.current = { places, subject };
      setDone({ shown, places, subject, hasLanes: state.hasLanes });
    });
    return () => {
      isStale = true;
    };
  }, [shown, subject, state.hasLanes]);

  const scene = useMemo(() => (done === null ? EMPTY_SCENE : sceneOf(done.shown, done.places, done.hasLanes)), [done]);
  return { scene, visible: shownNow, trace: way, subject: done?.subject ?? "", isPlacing: done?.shown !== shown };
}

function taskOf(shown: Shown, hasLanes: boolean, before: Places | null): Task {
  const boxes = boxesOf(shown, hasLanes ? "namespace" : null);
  const links = linksOf(shown);
  return { boxes, links, lanes: hasLanes ? laneOrder(boxes, links) : [], before };
}
