import { expect, test } from "vitest";
import type { Run } from "@/api/schema";
import { type GraphState, readState, START, toggled, writeState } from "@/state/graphState";
import { LiveJobs } from "@/state/liveJobs";
import { jobLabel, throughputOf, wireLabel } from "@/state/throughput";

const FULL: GraphState = {
  node: "dataset:s3://a b:x/ä&=",
  up: 0,
  down: 7,
  opened: new Set(["down job:a:b"]),
  closed: new Set(["up job:a:b"]),
  whole: new Set(["up dataset:a:b"]),
  picked: new Set(["job:a:c", "job:a:d"]),
  hidden: new Set(["job:a:e"]),
  collapsed: new Set(["job:a:app"]),
  grain: "jobs",
  hasColumns: true,
  cards: new Set(["dataset:a:b"]),
  column: "datasetField:a:b:c",
  namespaces: new Set(["kafka://h:1"]),
  pathFrom: "job:a:x",
  pathTo: "job:a:y",
  at: "2026-01-01T00:00:00.000Z",
  against: "2025-01-01T00:00:00.000Z",
  hasTime: true,
  hasLanes: true,
  hasLabels: true,
  selected: "job:a:b",
  details: "job:a:b",
  view: { x: -12, y: 40, zoom: 0.5 },
};

test("everything that one sees survives in the address", () => {
  expect(readState(writeState(FULL))).toEqual(FULL);
  expect(writeState(START)).toBe("");
  expect(readState("")).toEqual(START);
});

test("nonsense in an address is as at the start", () => {
  const state = readState("up=x&down=-3&show=nothing&view=a,b,c&node=&open=&columns=yes");
  expect(state).toEqual(START);
  expect(readState("up=99").up).toBe(20);
});

test("toggling takes out what was in", () => {
  expect([...toggled(new Set([1]), 1)]).toEqual([]);
  expect([...toggled(new Set([1]), 2)]).toEqual([1, 2]);
});

const RUN = { id: "r", state: "RUNNING", startedAt: null, endedAt: null } as const;

test("a change notifies only those who show that job, once for many changes", () => {
  const waiting: (() => void)[] = [];
  const liveJobs = new LiveJobs((notify) => waiting.push(notify));
  const notified: string[] = [];
  liveJobs.subscribe("a", () => notified.push("a"));
  const stop = liveJobs.subscribe("b", () => notified.push("b"));
  liveJobs.subscribeToAll(() => notified.push("all"));
  for (let n = 0; n < 100; n++) liveJobs.set("a", { run: RUN, throughput: null, isAlarming: false });
  expect(notified).toEqual([]);
  for (const notify of waiting.splice(0)) notify();
  expect(notified).toEqual(["a", "all"]);
  stop();
  liveJobs.set("b", { run: RUN, throughput: null, isAlarming: false });
  for (const notify of waiting.splice(0)) notify();
  expect(notified).toEqual(["a", "all", "all"]);
});

const run = (rest: Partial<Run>) =>
  ({ facets: {}, states: [], inputDatasetVersions: [], outputDatasetVersions: [], ...rest }) as unknown as Run;

test("rates and lag come from our streaming facet", () => {
  const facets = {
    headwater_streaming: {
      inputRowsPerSecond: 1234,
      outputRowsPerSecond: 5.6,
      processedRowsPerSecond: 9000,
      sources: [{ offsetsBehind: 5 }, { offsetsBehind: 7 }],
      watermark: "w",
    },
  };
  const throughput = throughputOf(run({ facets, updatedAt: "t" }));
  expect(throughput).toEqual({ outRate: 5.6, inRate: 1234, lag: 12, watermark: "w", at: "t" });
  expect(jobLabel(throughput)).toBe("1.2k/s · lag 12");
  expect(wireLabel(throughput, true)).toBe("1.2k/s · lag 12");
  expect(wireLabel(throughput, false)).toBe("5.60/s");
});

test("without it the rate is the rows of the last event over its time", () => {
  const states = [
    { type: "START", at: "2026-01-01T00:00:00Z", position: 1 },
    { type: "RUNNING", at: "2026-01-01T00:00:10Z", position: 2 },
  ];
  const outputDatasetVersions = [
    { datasetVersionId: { namespace: "", name: "", version: "" }, facets: { outputStatistics: { rowCount: 50 } } },
  ];
  expect(throughputOf(run({ states, outputDatasetVersions }))?.outRate).toBe(5);
  expect(throughputOf(run({}))).toBeNull();
  expect(
    throughputOf(run({ facets: { headwater_streaming: { sources: "odd", outputRowsPerSecond: "many" } } })),
  ).toBeNull();
});
