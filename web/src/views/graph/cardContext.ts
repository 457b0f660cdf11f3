/** What cards need to know beside their own data. */

import { createContext, use, useCallback, useSyncExternalStore } from "react";
import type { Mark } from "@/graph/canvas";
import type { Trace } from "@/graph/columns";
import type { Highlight } from "@/graph/highlight";
import type { LastRun } from "@/graph/model";
import { runAt } from "@/graph/moments";
import type { Fan, ShownNode, Step } from "@/graph/visible";
import { type LiveJob, liveJobs } from "@/state/liveJobs";

export interface CardContextValue {
  highlight: Highlight | null;
  trace: Trace | null;
  selected: string | null;
  focus: string | null;
  at: string | null; // states are those of this moment
  hasLabels: boolean;
  missing: ReadonlyMap<Step, Fan>;
  cardMarks: ReadonlyMap<string, Mark>;
  colourOf: (namespace: string) => string;
  isOpen: (id: string) => boolean;
}

export const CardContext = createContext<CardContextValue>({
  highlight: null,
  trace: null,
  selected: null,
  focus: null,
  at: null,
  hasLabels: false,
  missing: new Map(),
  cardMarks: new Map(),
  colourOf: () => "#000000",
  isOpen: () => false,
});
export const useCardContext = () => use(CardContext);

/** What the live stream says of a job; nothing while a past moment is shown. */
export function useLiveJob(job: string, at: string | null): LiveJob | undefined {
  const subscribe = useCallback((listener: () => void) => liveJobs.subscribe(job, listener), [job]);
  const liveJob = useSyncExternalStore(subscribe, () => liveJobs.get(job));
  return at === null ? liveJob : undefined;
}

/** The run whose state a card shows: of a group the one that matters most. */
export function latestRun(node: ShownNode, at: string | null): LastRun | null {
  if (node.kind === "dataset") return null;
  if (node.kind === "job") return (at === null ? liveJobs.get(node.id)?.run : undefined) ?? runAt(node.lastRun, at);
  const runs = node.members.map((member) => latestRun(member, at)).filter((run) => run !== null);
  return runs.sort((a, b) => weight(b) - weight(a))[0] ?? null;
}

const WEIGHTS = { FAILED: 4, RUNNING: 3, ABORTED: 2, COMPLETED: 1, NEW: 0 };
const weight = (run: LastRun) => WEIGHTS[run.state];
