/** Marks of what happened, on the slider over time. */

import type { Run, SchemaChange } from "@/api/schema";

export interface HistoryMark {
  at: number; // milliseconds
  kind: "run" | "failure" | "schema";
  words: string;
}

export interface History {
  range: [number, number];
  marks: readonly HistoryMark[]; // in their order
}

/** Quiet time after the last mark is not slid over, beyond this share of all. */
const QUIET = 0.12;
/** Something to slide over even where nothing is known. */
const AN_HOUR = 3_600_000;

export function historyOf(runs: readonly Run[], schemas: readonly SchemaChange[], now: number): History {
  const marks: HistoryMark[] = [];
  for (const run of runs) {
    const name = run.job?.name ?? "a job";
    const began = run.startedAt ?? run.createdAt;
    if (began !== null) marks.push({ at: Date.parse(began), kind: "run", words: `${name} started` });
    if (run.state === "FAILED" && run.endedAt !== null) {
      marks.push({ at: Date.parse(run.endedAt), kind: "failure", words: `${name} failed` });
    }
  }
  for (const schema of schemas) {
    marks.push({
      at: Date.parse(schema.at),
      kind: "schema",
      words: `schema of ${schema.nodeId.split(":").at(-1)} changed`,
    });
  }
  marks.sort((a, b) => a.at - b.at);
  const first = marks[0]?.at ?? now - AN_HOUR;
  // A margin before the first mark, where the graph is empty.
  const last = marks.at(-1)?.at ?? now;
  const margin = Math.max(1000, (last - first) * 0.02);
  const end = Math.min(now, last + Math.max(AN_HOUR / 60, (last - first) * QUIET));
  return { range: [Math.floor(first - margin), Math.ceil(end)], marks };
}

/** The nearest mark before or after a moment. */
export function nextMark(marks: readonly HistoryMark[], at: number, way: 1 | -1): HistoryMark | undefined {
  // The address has whole milliseconds only.
  const isThere = (mark: HistoryMark) => (way === 1 ? mark.at > at + 1 : mark.at < at - 1);
  return way === 1 ? marks.find(isThere) : marks.findLast(isThere);
}

const WEIGHT = { run: 0, failure: 2, schema: 1 };

/** At most one mark for two pixels, the most telling one. */
export function thinned(marks: readonly HistoryMark[], from: number, to: number, width: number): HistoryMark[] {
  const byPixel = new Map<number, HistoryMark>();
  for (const mark of marks) {
    const place = Math.round((((mark.at - from) / (to - from)) * width) / 2);
    const other = byPixel.get(place);
    if (other === undefined || WEIGHT[mark.kind] > WEIGHT[other.kind]) byPixel.set(place, mark);
  }
  return [...byPixel.values()];
}
