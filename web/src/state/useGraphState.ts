import { useCallback, useMemo, useRef } from "react";
import { useLocation, useSearch } from "wouter";
import { type GraphState, type Position, readState, writeState } from "@/state/graphState";

export type Change = (change: Partial<GraphState>, how?: { replace?: boolean }) => void;

/** The graph's state in the address. A change is a step that "back" takes back, unless it says otherwise. */
export function useGraphState(): { state: GraphState; change: Change; moveTo: (view: Position) => void } {
  const search = useSearch();
  const [, go] = useLocation();
  // Moving about writes the address all the time, and must not make anybody compute anew.
  const stable = useMemo(() => {
    const params = new URLSearchParams(search);
    params.delete("view");
    return params.toString();
  }, [search]);
  const state = useMemo(() => readState(stable), [stable]);
  const latest = useRef(state);
  latest.current = state;

  const change = useCallback<Change>(
    (part, how) => {
      const next = { ...latest.current, view: readState(window.location.search).view, ...part };
      latest.current = next;
      go(addressOf(next), { replace: how?.replace ?? false });
    },
    [go],
  );
  const moveTo = useCallback(
    (view: Position) => {
      if (window.location.pathname === "/graph") go(addressOf({ ...latest.current, view }), { replace: true });
    },
    [go],
  );
  return { state, change, moveTo };
}

// What the drawer of details keeps in the address is not the graph's, and stays while the drawer is open.
const DRAWERS = ["tab", "run"];

function addressOf(state: GraphState): string {
  const params = new URLSearchParams(writeState(state));
  const there = new URLSearchParams(window.location.search);
  for (const name of DRAWERS) {
    const value = there.get(name);
    if (value !== null && state.details !== null) params.set(name, value);
  }
  return `/graph?${params}`;
}
