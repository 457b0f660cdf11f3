/** Events of each of the last seconds. */

export const SECONDS = 60;

export interface Rate {
  second: number; // that of the last count
  counts: number[]; // the oldest first
}

export function count(rate: Rate, events: number, now: number): Rate {
  const second = Math.floor(now / 1000);
  const counts = shifted(rate, second);
  counts[SECONDS - 1] = (counts[SECONDS - 1] ?? 0) + events;
  return { second, counts };
}

/** The counts as of a later second. */
export function shifted(rate: Rate, second: number): number[] {
  const passed = Math.min(SECONDS, Math.max(0, second - rate.second));
  return [...rate.counts.slice(passed), ...Array<number>(passed).fill(0)];
}
