/** How fast and how far behind a running job is, from the facets of its run. */

import type { Run } from "@/api/schema";
import type { Flow } from "@/state/facts";

interface Streaming {
  inputRowsPerSecond?: unknown;
  processedRowsPerSecond?: unknown;
  watermark?: unknown;
  sources?: unknown;
}

/** Null where the run says nothing of it. */
export function flowOf(run: Run): Flow | null {
  const told = run.facets.headwater_streaming as Streaming | undefined;
  if (typeof told === "object" && told !== null) {
    return {
      rate: number(told.processedRowsPerSecond) ?? number(told.inputRowsPerSecond),
      behind: sum(told.sources, "offsetsBehind"),
      watermark: typeof told.watermark === "string" ? told.watermark : null,
      at: run.updatedAt ?? "",
    };
  }
  const rate = rateOf(run);
  return rate === null ? null : { rate, behind: null, watermark: null, at: run.updatedAt ?? "" };
}

/** Rows of the last report over the time since the one before it. */
function rateOf(run: Run): number | null {
  const rows =
    sumOf(run.outputDatasetVersions, "outputStatistics") ?? sumOf(run.inputDatasetVersions, "inputStatistics");
  const [before, last] = run.states.slice(-2);
  if (rows === null || before === undefined || last === undefined) return null;
  const seconds = (Date.parse(last.at) - Date.parse(before.at)) / 1000;
  return seconds > 0 ? rows / seconds : null;
}

function sumOf(used: Run["inputDatasetVersions"], facet: string): number | null {
  const counts = used.map((one) => number((one.facets[facet] as { rowCount?: unknown } | undefined)?.rowCount));
  const known = counts.filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
}

function sum(list: unknown, key: string): number | null {
  if (!Array.isArray(list)) return null;
  const known = list
    .map((one) => number((one as Record<string, unknown> | null)?.[key]))
    .filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
}

const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : null);

/** `1.2K` */
export function compact(value: number): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}

/** What the wires of a job tell: before it how far it is behind, behind it how much comes out. */
export function wireWords(flow: Flow | null, isInput: boolean): string | null {
  if (flow === null) return null;
  if (isInput) return flow.behind === null ? null : `${compact(flow.behind)} behind`;
  return flow.rate === null ? null : `${compact(flow.rate)}/s`;
}

/** `1.2K/s · 300 behind`; null where there is nothing to say. */
export function flowWords(flow: Flow | null): string | null {
  if (flow === null) return null;
  const words = [
    flow.rate === null ? null : `${compact(flow.rate)}/s`,
    flow.behind === null ? null : `${compact(flow.behind)} behind`,
  ].filter((word) => word !== null);
  return words.length === 0 ? null : words.join(" · ");
}
