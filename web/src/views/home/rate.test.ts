import { describe, expect, it } from "vitest";
import { count, type Rate, SECONDS, shifted } from "@/views/home/rate";

const NONE: Rate = { second: 0, counts: Array<number>(SECONDS).fill(0) };

describe("rate", () => {
  it("adds up within a second and moves on with the next", () => {
    let rate = count(NONE, 3, 10_000);
    rate = count(rate, 2, 10_900);
    rate = count(rate, 7, 12_000);
    expect(rate.counts.slice(-3)).toEqual([5, 0, 7]);
    expect(rate.counts).toHaveLength(SECONDS);
  });

  it("forgets what is more than a minute ago", () => {
    const rate = count(NONE, 3, 10_000);
    expect(shifted(rate, 10 + SECONDS).every((each) => each === 0)).toBe(true);
  });
});
