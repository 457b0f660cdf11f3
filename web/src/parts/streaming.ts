/** What a run of a stream tells about its pace, whichever engine it is. */

import type { Run } from "@/api/schema";
import { facet, list, number, text } from "@/parts/facets";

export interface Pace {
  inRate?: number; // rows a second that are read
  outRate?: number; // and written
  capacity?: number; // rows a second that it would manage if there were always something to do
  behind?: number; // messages that were not read yet
  watermark?: string;
  stateRows?: number;
  lateRows?: number;
  checkpoints?: { completed: number; failed: number };
  restored: number; // times that the engine began anew from a checkpoint
}

export function paceOf(run: Run): Pace {
  const told = facet(run.facets, "headwater_streaming");
  const kept = facet(run.facets, "checkpoints");
  const behind = list(told, "sources")
    .map((source) => number(source, "offsetsBehind"))
    .filter((each) => each !== undefined);
  const completed = number(kept, "completed");
  return {
    inRate: number(told, "inputRowsPerSecond"),
    outRate: number(told, "outputRowsPerSecond"),
    capacity: number(told, "processedRowsPerSecond"),
    behind: behind.length === 0 ? undefined : behind.reduce((sum, each) => sum + each, 0),
    watermark: text(told, "watermark"),
    stateRows: number(told, "stateRows"),
    lateRows: number(told, "lateRows"),
    checkpoints: completed === undefined ? undefined : { completed, failed: number(kept, "failed") ?? 0 },
    restored: number(kept, "restored") ?? 0,
  };
}

const DAY_MS = 86_400_000;

/** How often the job began anew in the day before its latest sign: as a new run, or from a checkpoint. */
export function restarts(runs: Run[]): number {
  const latest = runs[0];
  if (latest === undefined) return 0;
  const since = Date.parse(latest.updatedAt ?? "") - DAY_MS;
  const recent = runs.filter((run) => Date.parse(run.startedAt ?? run.createdAt ?? "") >= since);
  return Math.max(0, recent.length - 1) + recent.reduce((sum, run) => sum + paceOf(run).restored, 0);
}
