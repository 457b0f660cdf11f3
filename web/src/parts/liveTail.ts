/** The live stream, for views that show it as a list or as a sign to ask again. */

import { useEffect, useRef, useState } from "react";
import type { LiveChange } from "@/api/schema";

// Changes are handed on together, so often: at hundreds a second each would cost a rendering.
const BEAT_MS = 250;

export type LiveState = "connecting" | "live" | "lost";

interface Listener {
  onChanges: (changes: LiveChange[]) => void;
  onResync?: () => void; // some changes were missed: ask again for what is shown
  paused?: boolean;
}

/** Listens as long as the view is there. The browser connects anew by itself, and gets what it missed. */
export function useLiveTail({ onChanges, onResync, paused = false }: Listener): LiveState {
  const [state, setState] = useState<LiveState>("connecting");
  const handlers = useRef({ onChanges, onResync });
  handlers.current = { onChanges, onResync };
  useEffect(() => {
    if (paused) return;
    let waiting: LiveChange[] = [];
    const source = new EventSource("/api/v1/live");
    source.addEventListener("hello", () => setState("live"));
    source.addEventListener("resync", () => {
      setState("live");
      handlers.current.onResync?.();
    });
    source.addEventListener("change", (event) => {
      waiting.push(JSON.parse(event.data) as LiveChange);
    });
    source.onopen = () => setState("live");
    source.onerror = () => setState(source.readyState === EventSource.CLOSED ? "lost" : "connecting");
    const beat = setInterval(() => {
      if (waiting.length === 0) return;
      handlers.current.onChanges(waiting);
      waiting = [];
    }, BEAT_MS);
    return () => {
      clearInterval(beat);
      source.close();
    };
  }, [paused]);
  return state;
}
