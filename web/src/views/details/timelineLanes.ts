import type { Run } from "@/api/schema";

export interface Bar {
  run: Run;
  start: number;
  end: number;
  lane: number;
}

export interface Lanes {
  bars: Bar[];
  from: number;
  to: number;
  count: number; // of lanes
}

const MOST_LANES = 12; // further ones lie on the last: it is a picture, not a list

/** Puts runs into lanes, each where the one before it has ended. A run without an end goes on until now. */
export function lanes(runs: Run[], now: number): Lanes {
  const known = runs
    .map((run) => {
      const start = Date.parse(run.startedAt ?? run.createdAt ?? "");
      const end = run.endedAt === null ? Math.max(now, start) : Date.parse(run.endedAt);
      return { run, start, end: Math.max(start, end) };
    })
    .filter(({ start }) => !Number.isNaN(start))
    .sort((a, b) => a.start - b.start);
  const from = known[0]?.start ?? now;
  const to = Math.max(from + 1, ...known.map(({ end }) => end));
  // Bars have a least width on the screen, and need that much room.
  const least = (to - from) / 150;
  const free: number[] = [];
  const bars = known.map((each) => {
    const open = free.findIndex((until) => until <= each.start);
    const lane = open >= 0 ? open : Math.min(free.length, MOST_LANES - 1);
    free[lane] = Math.max(each.end, each.start + least);
    return { ...each, lane };
  });
  return { bars, from, to, count: Math.max(1, free.length) };
}
