/** Which jobs are overdue, by the rule of the server's `/why` (docs/why.md). */

import type { Job } from "@/api/schema";

// As in headwater/why/pace.py: fewer intervals are no habit, nor is one from which a quarter departs.
const FEWEST = 4;
const MOSTLY = 0.75;
const SOONEST = 0.1;
const LATEST = 0.5;
const LEAST_MS = 10 * 60_000;
const WAVERING = 4;

export interface Late {
  job: Job;
  dueAt: number;
  everyMs: number;
}

export function lateJobs(jobs: Job[], now: number): Late[] {
  return jobs.flatMap((job) => lateness(job, now) ?? []).sort((a, b) => a.dueAt - b.dueAt);
}

function lateness(job: Job, now: number): Late | undefined {
  if (job.type !== "BATCH" || job.latestRun?.state === "RUNNING") return undefined;
  const starts = job.latestRuns.map((run) => Date.parse(run.startedAt ?? run.createdAt ?? ""));
  const gaps = starts.slice(1).map((start, at) => (starts[at] ?? start) - start);
  const last = starts[0];
  const everyMs = habit(gaps);
  if (everyMs === undefined || last === undefined) return undefined;
  const wavers = median(gaps.map((gap) => Math.abs(gap - everyMs)));
  const grace = Math.min(Math.max(SOONEST * everyMs, WAVERING * wavers), LATEST * everyMs);
  const dueAt = last + everyMs;
  return now > dueAt + Math.max(grace, LEAST_MS) ? { job, dueAt, everyMs } : undefined;
}

function habit(gaps: number[]): number | undefined {
  if (gaps.length < FEWEST || gaps.some(Number.isNaN)) return undefined;
  const usual = median(gaps);
  const near = gaps.filter((gap) => usual / 2 <= gap && gap <= usual * 2).length;
  return near >= MOSTLY * gaps.length ? usual : undefined;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? upper)) / 2;
}
