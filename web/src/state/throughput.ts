/** How fast and how far behind a running job is, as the graph shows it. */

import type { Run } from "@/api/schema";
import { facet, number } from "@/parts/facets";
import { amount } from "@/parts/format";
import { streamMetrics } from "@/parts/streamMetrics";
import type { Flow } from "@/state/liveJobs";

/** Null where the run says nothing of it. */
export function throughputOf(run: Run): Flow | null {
  const at = run.updatedAt ?? "";
  const pace = streamMetrics(run);
  const isTold = [pace.inRate, pace.outRate, pace.behind, pace.watermark].some((each) => each !== undefined);
  const rate = isTold ? null : rateOf(run);
  if (!isTold && rate === null) return null;
  return {
    rate: pace.outRate ?? rate,
    read: pace.inRate ?? null,
    behind: pace.behind ?? null,
    watermark: pace.watermark ?? null,
    at,
  };
}

/** Rows of the last report over the time since the one before it. */
function rateOf(run: Run): number | null {
  const rows =
    rowsOf(run.outputDatasetVersions, "outputStatistics") ?? rowsOf(run.inputDatasetVersions, "inputStatistics");
  const [before, last] = run.states.slice(-2);
  if (rows === null || before === undefined || last === undefined) return null;
  const seconds = (Date.parse(last.at) - Date.parse(before.at)) / 1000;
  return seconds > 0 ? rows / seconds : null;
}

function rowsOf(used: Run["inputDatasetVersions"], name: string): number | null {
  const known = used.map((one) => number(facet(one.facets, name), "rowCount")).filter((count) => count !== undefined);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
}

/** What the wires of a job tell: before it how much goes in and how far it is behind, behind it how much comes out. */
export function wireLabel(flow: Flow | null, isInput: boolean): string | null {
  if (flow === null) return null;
  return isInput ? words(flow.read, flow.behind) : words(flow.rate, null);
}

/** Of a job: `1.2k/s · lag 300`; null where there is nothing to say. */
export function jobLabel(flow: Flow | null): string | null {
  return flow === null ? null : words(flow.read ?? flow.rate, flow.behind);
}

function words(rate: number | null, behind: number | null): string | null {
  const told = [rate === null ? [] : [`${amount(rate)}/s`], behind === null ? [] : [`lag ${amount(behind)}`]].flat();
  return told.length === 0 ? null : told.join(" · ");
}
