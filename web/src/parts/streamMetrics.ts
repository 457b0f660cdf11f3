/** Rates, lag, watermark and checkpoints that a run of a stream reports, whichever engine runs it. */

import type { Run } from "@/api/schema";
import { facet, isJson, type Json, list, number, text } from "@/parts/facets";

export interface StreamMetrics {
  inRate?: number; // rows a second that are read
  outRate?: number; // and written
  capacity?: number; // rows a second that it would manage if there were always something to do
  lag?: number; // records not read yet
  watermark?: string;
  stateRows?: number;
  lateRows?: number;
  checkpoints?: { completed: number; failed: number };
  restored: number; // times that the engine restarted from a checkpoint
}

export function streamMetrics(run: Run): StreamMetrics {
  const progress = facet(run.facets, "headwater_streaming");
  const checkpoints = facet(run.facets, "checkpoints");
  const connector = ofConnector(facet(run.facets, "headwater_connect"));
  const completed = number(checkpoints, "completed");
  return {
    inRate: number(progress, "inputRowsPerSecond") ?? connector.inRate,
    outRate: number(progress, "outputRowsPerSecond") ?? connector.outRate,
    capacity: number(progress, "processedRowsPerSecond"),
    lag: sum(list(progress, "sources"), "offsetsBehind") ?? connector.lag,
    watermark: text(progress, "watermark"),
    stateRows: number(progress, "stateRows"),
    lateRows: number(progress, "lateRows"),
    checkpoints: completed === undefined ? undefined : { completed, failed: number(checkpoints, "failed") ?? 0 },
    restored: number(checkpoints, "restored") ?? 0,
  };
}

/** Of its topics a sink reads those that it commits offsets for; a source writes to all. */
function ofConnector(connect: Json | undefined): Pick<StreamMetrics, "inRate" | "outRate" | "lag"> {
  const topics = Object.values(facet(connect, "topics") ?? {}).filter(isJson);
  const rate = sum(topics, "messagesPerSecond");
  return text(connect, "type") === "source" ? { outRate: rate } : { inRate: rate, lag: sum(topics, "lag") };
}

/** Undefined where none of them has the key. */
function sum(each: Json[], key: string): number | undefined {
  const known = each.map((one) => number(one, key)).filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0);
}

const DAY_MS = 86_400_000;

/** How often the job restarted in the day before its latest event: as a new run, or from a checkpoint. */
export function restarts(runs: Run[]): number {
  const latest = runs[0];
  if (latest === undefined) return 0;
  const since = Date.parse(latest.updatedAt ?? "") - DAY_MS;
  const recent = runs.filter((run) => Date.parse(run.startedAt ?? run.createdAt ?? "") >= since);
  return Math.max(0, recent.length - 1) + recent.reduce((sum, run) => sum + streamMetrics(run).restored, 0);
}
