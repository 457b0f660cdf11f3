import { useMemo } from "react";
import { step } from "@/graph/visible";
import { type GraphState, toggled } from "@/state/graphState";
import { liveJobs } from "@/state/liveJobs";
import type { Change } from "@/state/useGraphState";
import type { Actions } from "@/views/graph/actions";

interface Options {
  state: GraphState;
  change: Change;
  pathStart: string | null; // the card from which a path is chosen
  onPathEnd: () => void;
  onHover: (id: string | null) => void;
}

/** What a card can do, as changes of the address. */
export function useCardActions({ state, change, pathStart, onPathEnd, onHover }: Options): Actions {
  return useMemo<Actions>(
    () => ({
      select: (id) => {
        if (id !== null) acknowledge(id);
        if (id !== null && pathStart !== null && id !== pathStart) {
          onPathEnd();
          change({ pathFrom: pathStart, pathTo: id, node: null, selected: null, view: null });
        } else change({ selected: id, ...(id === null ? { column: null } : {}) }, { replace: true });
      },
      details: (id) => change({ details: id, selected: id }),
      hover: onHover,
      openStep: (way, id, isWide) => {
        const here = step(way, id);
        change({
          opened: new Set([...state.opened, here]),
          whole: isWide ? new Set([...state.whole, here]) : state.whole,
          closed: state.closed.has(here) ? toggled(state.closed, here) : state.closed,
          selected: id,
        });
      },
      toggleColumns: (id) => change({ cards: toggled(state.cards, id) }),
      traceColumn: (column) => change({ column }),
      openGroup: (id) => change({ collapsed: toggled(state.collapsed, id) }),
    }),
    [change, state, pathStart, onPathEnd, onHover],
  );
}

/** A failure is marked until its card is clicked. */
function acknowledge(job: string): void {
  const liveJob = liveJobs.get(job);
  if (liveJob?.isAlarming) liveJobs.set(job, { ...liveJob, isAlarming: false });
}
