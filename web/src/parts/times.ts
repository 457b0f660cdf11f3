/** Times in words. */

const STEPS: readonly [number, string][] = [
  [60, "s"],
  [60, "min"],
  [24, "h"],
  [Number.POSITIVE_INFINITY, "d"],
];

/** `5 min ago`, `in 2 h`. */
export function ago(at: string, now = Date.now()): string {
  const seconds = (now - Date.parse(at)) / 1000;
  if (!Number.isFinite(seconds)) return "";
  if (Math.abs(seconds) < 5) return "just now";
  return seconds < 0 ? `in ${lasting(-seconds)}` : `${lasting(seconds)} ago`;
}

/** `5 min` */
export function lasting(seconds: number): string {
  let value = seconds;
  for (const [size, unit] of STEPS) {
    if (value < size) return `${Math.floor(value)} ${unit}`;
    value /= size;
  }
  return "";
}

/** `15 Nov, 06:58:31` in the reader's own time zone. */
export function shown(at: string): string {
  return new Date(at).toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
}
