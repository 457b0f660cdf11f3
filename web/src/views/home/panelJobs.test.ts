import { expect, test } from "vitest";
import type { Job, LateJob, StuckJob } from "@/api/schema";
import { latePanelJob, panelJob } from "@/views/home/panelJobs";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const RUN = { id: "r", state: "RUNNING", startedAt: "2026-11-15T10:00:00Z", endedAt: null };
const ENRICH = { namespace: "shop", name: "enrich", latestRun: RUN } as Job;
const NODE = { nodeId: "job:shop:enrich", type: "JOB", namespace: "shop", name: "enrich", field: null };

function noteOf(stuck: Partial<StuckJob>): string | undefined {
  const job = {
    ...NODE,
    run: RUN,
    lastEventAt: "2026-11-15T11:50:00Z",
    everySeconds: null,
    usualSeconds: null,
    ...stuck,
  };
  return panelJob(ENRICH, new Map([[NODE.nodeId, job as StuckJob]]), NOW).note;
}

test("a job that is not stuck has no note", () => {
  expect(panelJob(ENRICH, new Map(), NOW)).toMatchObject({
    nodeId: "job:shop:enrich",
    state: "RUNNING",
    note: undefined,
  });
});

test("a stuck stream is silent, a stuck batch job takes too long", () => {
  expect(noteOf({})).toBe("no event for 10 min");
  expect(noteOf({ usualSeconds: 60 })).toBe("running for 2 h, usually takes 1 min");
});

test("a late job says when it was due and how often it runs", () => {
  const late = { ...NODE, run: RUN, expectedAt: "2026-11-15T11:00:00Z", everySeconds: 3600 } as LateJob;
  expect(latePanelJob(late, NOW).note).toBe("due 1 h ago, usually every 1 h");
});
