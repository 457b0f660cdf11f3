import { type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { diffQuery, runsQuery } from "@/api/queries";
import type { Runs } from "@/api/schema";
import { type History, historyOf } from "@/graph/history";
import type { Lineage } from "@/graph/model";

/** Jobs whose runs are marked: the most lately active of those known. */
const MOST_JOBS = 24;
const RUNS = 200;

/** What happened to the jobs and datasets that are looked at. */
export function useHistory(lineage: Lineage, node: string | null): History {
  const [now] = useState(() => Date.now());
  const jobs = useMemo(
    () =>
      [...lineage.nodes.values()]
        .filter((one) => one.kind === "job")
        .sort((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? ""))
        .slice(0, MOST_JOBS),
    [lineage],
  );
  const runs = useQueries({ queries: jobs.map((job) => runsQuery(job.namespace, job.name, RUNS)), combine: allRuns });
  const begin = useMemo(() => historyOf(runs, [], now).range[0], [runs, now]);
  const changes = useQuery({ ...diffQuery(new Date(begin).toISOString(), null, node), enabled: runs.length > 0 });
  return useMemo(() => historyOf(runs, changes.data?.schemas ?? [], now), [runs, changes.data, now]);
}

function allRuns(queries: UseQueryResult<Runs, Error>[]) {
  return queries.flatMap((query) => query.data?.runs ?? []);
}
