import { useSyncExternalStore } from "react";

// One clock for the whole page, so that a hundred times on it move together and cost one timer.
const EVERY_MS = 5000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The present time, to five seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
