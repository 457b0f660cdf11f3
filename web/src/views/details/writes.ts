import type { Run } from "@/api/schema";
import { facet, number } from "@/parts/facets";

export interface Write {
  run: Run;
  rows?: number;
  size?: number;
  files?: number;
}

/** How much each run wrote to a dataset, the oldest first; runs that reported none are left out. */
export function writes(runs: Run[], namespace: string, name: string): Write[] {
  return runs.toReversed().flatMap((run) => {
    const used = run.outputDatasetVersions.find(
      ({ datasetVersionId: id }) => id.namespace === namespace && id.name === name,
    );
    const statistics = facet(used?.facets, "outputStatistics");
    if (statistics === undefined) return [];
    return [
      {
        run,
        rows: number(statistics, "rowCount"),
        size: number(statistics, "size"),
        files: number(statistics, "fileCount"),
      },
    ];
  });
}
