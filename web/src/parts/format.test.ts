import { describe, expect, it } from "vitest";
import { ago, amount, bytes, cut, duration, moment, plural, sentence } from "@/parts/format";

describe("words", () => {
  it("says how long something took with two units at most", () => {
    expect([850, 12_000, 200_000, 7_200_000, 187_200_000].map(duration)).toEqual([
      "850 ms",
      "12 s",
      "3 min 20 s",
      "2 h",
      "2 d 4 h",
    ]);
  });

  it("says how long ago something was, and when something will be", () => {
    const now = Date.parse("2026-11-15T10:00:00Z");
    expect(ago("2026-11-15T09:55:00Z", now)).toBe("5 min ago");
    expect(ago("2026-11-15T12:00:00Z", now)).toBe("in 2 h");
    expect(ago("2026-11-15T10:00:01Z", now)).toBe("just now");
    expect(ago("never", now)).toBe("never");
  });

  it("keeps what is no time as it is", () => {
    expect(moment("soon")).toBe("soon");
    expect(moment("2026-11-15T09:55:00Z")).toMatch(/^2026-11-1\d \d\d:\d\d:00$/);
  });

  it("rounds amounts", () => {
    expect([950, 12_345, 4_500_000, 0.5, 3.25e9].map(amount)).toEqual(["950", "12k", "4.5M", "0.50", "3.3G"]);
    expect(bytes(987_654)).toBe("988kB");
  });

  it("has words for counts and constants", () => {
    expect(plural(1, "job")).toBe("1 job");
    expect(plural(1200, "job")).toBe("1,200 jobs");
    expect(sentence("RUN_FAILED")).toBe("Run failed");
    expect(cut("abcdef", 4)).toBe("abc…");
  });
});
