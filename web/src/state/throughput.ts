/** How fast a running job is and how far it lags, as the graph shows it. */

import type { Run } from "@/api/schema";
import { facet, number } from "@/parts/facets";
import { amount } from "@/parts/format";
import { streamMetrics } from "@/parts/streamMetrics";
import type { Throughput } from "@/state/liveJobs";

/** Null where the run reports nothing of it. */
export function throughputOf(run: Run): Throughput | null {
  const at = run.updatedAt ?? "";
  const { inRate, outRate, lag, watermark } = streamMetrics(run);
  const hasMetrics = [inRate, outRate, lag, watermark].some((each) => each !== undefined);
  const rate = hasMetrics ? null : rateOf(run);
  if (!hasMetrics && rate === null) return null;
  return {
    outRate: outRate ?? rate,
    inRate: inRate ?? null,
    lag: lag ?? null,
    watermark: watermark ?? null,
    at,
  };
}

/** Rows of the last event over the time since the one before it. */
function rateOf(run: Run): number | null {
  const rows =
    rowsOf(run.outputDatasetVersions, "outputStatistics") ?? rowsOf(run.inputDatasetVersions, "inputStatistics");
  const [before, last] = run.states.slice(-2);
  if (rows === null || before === undefined || last === undefined) return null;
  const seconds = (Date.parse(last.at) - Date.parse(before.at)) / 1000;
  return seconds > 0 ? rows / seconds : null;
}

function rowsOf(versions: Run["inputDatasetVersions"], name: string): number | null {
  const counts = versions
    .map((version) => number(facet(version.facets, name), "rowCount"))
    .filter((count) => count !== undefined);
  return counts.length === 0 ? null : counts.reduce((a, b) => a + b, 0);
}

/** The label of a job's wire: of an input its rate and lag, of an output its rate. */
export function wireLabel(throughput: Throughput | null, isInput: boolean): string | null {
  if (throughput === null) return null;
  return isInput ? label(throughput.inRate, throughput.lag) : label(throughput.outRate, null);
}

/** Of a job: `1.2k/s · lag 300`; null where nothing is known. */
export function jobLabel(throughput: Throughput | null): string | null {
  return throughput === null ? null : label(throughput.inRate ?? throughput.outRate, throughput.lag);
}

function label(rate: number | null, lag: number | null): string | null {
  const parts = [rate === null ? [] : [`${amount(rate)}/s`], lag === null ? [] : [`lag ${amount(lag)}`]].flat();
  return parts.length === 0 ? null : parts.join(" · ");
}
