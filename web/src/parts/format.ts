/** Times, amounts and names in as few words as people need. */

const STEPS: [seconds: number, unit: string][] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** A length of time: `850 ms`, `12 s`, `3 min 20 s`, `2 d 4 h`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1000);
  const at = STEPS.findIndex(([size]) => seconds >= size);
  const [size, unit] = STEPS[at] ?? [1, "s"];
  const next = STEPS[at + 1];
  const rest = next === undefined ? 0 : Math.floor((seconds % size) / next[0]);
  const first = `${Math.floor(seconds / size)} ${unit}`;
  return rest === 0 || next === undefined ? first : `${first} ${rest} ${next[1]}`;
}

/** How long ago, or in how long: `just now`, `5 min ago`, `in 2 h`. */
export function ago(iso: string, now: number = Date.now()): string {
  const ms = now - Date.parse(iso);
  if (Number.isNaN(ms)) return iso;
  if (Math.abs(ms) < 5000) return "just now";
  const [size, unit] = STEPS.find(([seconds]) => Math.abs(ms) >= seconds * 1000) ?? [1, "s"];
  const much = `${Math.floor(Math.abs(ms) / 1000 / size)} ${unit}`;
  return ms > 0 ? `${much} ago` : `in ${much}`;
}

/** A moment in the reader's own time zone, to the second. */
export function moment(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const part = (number: number) => String(number).padStart(2, "0");
  const day = [date.getFullYear(), part(date.getMonth() + 1), part(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(part).join(":")}`;
}

/** Only the time of day, with tenths: for lists of one day. */
export function clock(iso: string): string {
  return moment(iso).slice(11);
}

/** `950`, `12.3k`, `4.5M`. */
export function amount(count: number): string {
  const size = Math.abs(count);
  if (size < 1000) return Number.isInteger(count) ? String(count) : count.toFixed(size < 10 ? 2 : 1);
  const [by, unit] = size >= 1e9 ? [1e9, "G"] : size >= 1e6 ? [1e6, "M"] : [1e3, "k"];
  return `${(count / by).toFixed(size / by < 10 ? 1 : 0)}${unit}`;
}

export function bytes(count: number): string {
  return count < 1000 ? `${count} B` : `${amount(count)}B`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** `RUN_FAILED` → `Run failed`. */
export function sentence(constant: string): string {
  const words = constant.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The beginning of a text that may be very long. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
