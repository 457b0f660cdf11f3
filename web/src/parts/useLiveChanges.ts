/** The live stream for views that show it as a list, or fetch again when something changed. */

import { useEffect, useRef, useState } from "react";
import { type LiveState, live } from "@/api/live";
import type { LiveChange } from "@/api/schema";

// Changes are handed on in batches: at hundreds a second each would cost a rendering.
const BEAT_MS = 250;

interface Handlers {
  onChanges: (changes: LiveChange[]) => void;
  onResync?: () => void; // some changes were missed: fetch again what is shown
}

/** Listens as long as the view is there. */
export function useLiveChanges(handlers: Handlers): LiveState {
  const [state, setState] = useState<LiveState>("connecting");
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    let waiting: LiveChange[] = [];
    const leave = live.listen({
      change: (change) => waiting.push(change),
      resync: () => latest.current.onResync?.(),
      state: setState,
    });
    const beat = setInterval(() => {
      if (waiting.length === 0) return;
      const changes = waiting;
      waiting = [];
      latest.current.onChanges(changes);
    }, BEAT_MS);
    return () => {
      clearInterval(beat);
      leave();
    };
  }, []);
  return state;
}
