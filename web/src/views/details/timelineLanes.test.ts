import { describe, expect, it } from "vitest";
import type { Run } from "@/api/schema";
import { lanes } from "@/views/details/timelineLanes";

function run(id: string, startedAt: string, endedAt: string | null): Run {
  return { id, startedAt, endedAt, createdAt: startedAt, state: "COMPLETED" } as Run;
}

describe("lanes", () => {
  const now = Date.parse("2026-11-15T12:00:00Z");

  it("puts runs that overlap below each other and others beside each other", () => {
    const { bars, count } = lanes(
      [
        run("late", "2026-11-15T11:00:00Z", "2026-11-15T11:30:00Z"),
        run("second", "2026-11-15T09:30:00Z", "2026-11-15T10:30:00Z"),
        run("first", "2026-11-15T09:00:00Z", "2026-11-15T10:00:00Z"),
      ],
      now,
    );
    expect(bars.map(({ run, lane }) => [run.id, lane])).toEqual([
      ["first", 0],
      ["second", 1],
      ["late", 0],
    ]);
    expect(count).toBe(2);
  });

  it("lets a run without an end go on until now", () => {
    const { to } = lanes([run("stream", "2026-11-15T09:00:00Z", null)], now);
    expect(to).toBe(now);
  });

  it("survives runs without any time", () => {
    expect(lanes([{ id: "x", startedAt: null, createdAt: null, endedAt: null } as Run], now).bars).toEqual([]);
  });
});
