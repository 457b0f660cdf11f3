import { describe, expect, it } from "vitest";
import type { Job, Run } from "@/api/schema";
import { lateJobs } from "@/parts/late";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-11-15T12:00:00Z");

function job(name: string, hoursAgo: number[], type = "BATCH", state = "COMPLETED"): Job {
  const latestRuns = hoursAgo.map((hours) => ({ startedAt: new Date(NOW - hours * HOUR).toISOString(), state }) as Run);
  return { name, type, latestRuns, latestRun: latestRuns[0] ?? null } as Job;
}

describe("late jobs", () => {
  it("names those whose next run is overdue, the longest overdue first", () => {
    const jobs = [
      job("on time", [0.5, 1.5, 2.5, 3.5, 4.5]),
      job("late", [2, 3, 4, 5, 6]),
      job("very late", [9, 10, 11, 12, 13]),
    ];
    expect(lateJobs(jobs, NOW).map((late) => late.job.name)).toEqual(["very late", "late"]);
    expect(lateJobs(jobs, NOW)[0]?.everyMs).toBe(HOUR);
  });

  it("expects nothing of jobs without a habit, of streams and of what is running", () => {
    const jobs = [
      job("young", [5, 6, 7]),
      job("now and then", [20, 21, 40, 41, 90, 200]),
      job("stream", [5, 6, 7, 8, 9], "STREAM"),
      job("busy", [5, 6, 7, 8, 9], "BATCH", "RUNNING"),
    ];
    expect(lateJobs(jobs, NOW)).toEqual([]);
  });
});
