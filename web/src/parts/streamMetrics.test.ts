import { describe, expect, it } from "vitest";
import type { Run } from "@/api/schema";
import { restarts, streamMetrics } from "@/parts/streamMetrics";

describe("streams", () => {
  it("reads Spark's progress and Flink's checkpoints", () => {
    const facets = {
      headwater_streaming: {
        inputRowsPerSecond: 120.5,
        watermark: "2026-11-15T09:00:00Z",
        sources: [{ offsetsBehind: 3 }, { offsetsBehind: 4 }, { description: "no offsets" }],
      },
      checkpoints: { completed: 12, failed: 1, restored: 2 },
    };
    expect(streamMetrics({ facets } as unknown as Run)).toMatchObject({
      inRate: 120.5,
      lag: 7,
      watermark: "2026-11-15T09:00:00Z",
      checkpoints: { completed: 12, failed: 1 },
      restored: 2,
    });
  });

  it("reads what flows through a connector", () => {
    const metrics = (headwater_connect: object) => streamMetrics({ facets: { headwater_connect } } as unknown as Run);
    const topics = { orders: { messagesPerSecond: 100, lag: 4 }, more: { messagesPerSecond: 20, lag: 1 }, dead: {} };
    expect(metrics({ type: "sink", topics })).toMatchObject({ inRate: 120, outRate: undefined, lag: 5 });
    expect(metrics({ type: "source", topics: { orders: { messagesPerSecond: 100 } } })).toMatchObject({
      inRate: undefined,
      outRate: 100,
      lag: undefined,
    });
  });

  it("takes facets of any shape", () => {
    const facets = { headwater_streaming: "no", checkpoints: [1, 2], headwater_connect: { topics: { orders: 7 } } };
    expect(streamMetrics({ facets } as unknown as Run)).toMatchObject({
      inRate: undefined,
      lag: undefined,
      restored: 0,
    });
  });

  it("counts new runs of the last day as restarts", () => {
    const run = (startedAt: string) => ({ startedAt, updatedAt: startedAt, facets: {} }) as unknown as Run;
    const runs = [run("2026-11-15T10:00:00Z"), run("2026-11-15T08:00:00Z"), run("2026-11-13T08:00:00Z")];
    expect(restarts(runs)).toBe(1);
    expect(restarts([])).toBe(0);
  });
});
