import { describe, expect, it } from "vitest";
import type { LiveChange } from "@/api/schema";
import { matches, merged, rowOfChange, rowOfEvent } from "@/views/events/rows";

const EVENT = {
  eventTime: "2026-11-15T09:00:00.123456789+00:00",
  eventType: "START",
  producer: "https://example.org/p",
  run: { runId: "r1" },
  job: { namespace: "shop", name: "load" },
  inputs: [{ namespace: "kafka://b:9092", name: "orders" }],
  outputs: [],
};

const CHANGE = {
  position: 7,
  eventTime: "2026-11-15T09:00:00.123456Z",
  eventType: "START",
  run: { id: "r1", job: "job:shop:load", state: "RUNNING", before: null, startedAt: null, endedAt: null },
  job: "job:shop:load",
  dataset: null,
  inputs: ["dataset:kafka://b:9092:orders"],
  outputs: [],
} as unknown as LiveChange;

describe("rows of events", () => {
  it("knows the same event from both sources", () => {
    const rows = merged([rowOfChange(CHANGE)], [rowOfEvent(EVENT)]);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.producer).toBe("https://example.org/p");
    expect(rows[0]?.change?.position).toBe(7);
  });

  it("takes events that say very little", () => {
    expect(rowOfEvent({})).toMatchObject({ type: "STATIC", subject: null, inputs: [], outputs: [] });
    const dataset = { eventTime: "2026-11-15T09:00:00Z", dataset: { namespace: "db", name: "t" } };
    expect(rowOfEvent(dataset).subject).toEqual({ nodeId: "dataset:db:t", name: "t" });
  });

  it("filters by type and by any name in it", () => {
    const row = rowOfEvent(EVENT);
    expect(matches(row, { types: [], words: "ORDERS" })).toBe(true);
    expect(matches(row, { types: ["FAIL"], words: "" })).toBe(false);
    expect(matches(row, { types: ["START"], words: "nothing" })).toBe(false);
  });
});
