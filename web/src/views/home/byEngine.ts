import type { Job } from "@/api/schema";
import { facet, text } from "@/parts/facets";

export interface EngineJobs {
  name: string;
  jobs: Job[];
  states: [state: string, count: number][];
}

const UNKNOWN = "Other";
const NAMES: Record<string, string> = {
  SPARK: "Spark",
  FLINK: "Flink",
  KAFKA_CONNECT: "Kafka Connect",
  CONNECT: "Kafka Connect",
  AIRFLOW: "Airflow",
  DBT: "dbt",
  HEADWATER: "Added by hand",
};

/** Jobs by the integration that their `jobType` facet names, the engine with the most jobs first. */
export function byEngine(jobs: Job[]): EngineJobs[] {
  const groups = new Map<string, Job[]>();
  for (const job of jobs) {
    const integration = text(facet(job.facets, "jobType"), "integration");
    const name = integration === undefined ? UNKNOWN : (NAMES[integration.toUpperCase()] ?? integration);
    groups.set(name, [...(groups.get(name) ?? []), job]);
  }
  return [...groups]
    .map(([name, members]) => ({ name, jobs: members, states: states(members) }))
    .sort((a, b) => Number(a.name === UNKNOWN) - Number(b.name === UNKNOWN) || b.jobs.length - a.jobs.length);
}

function states(jobs: Job[]): [string, number][] {
  const counted = new Map<string, number>();
  for (const job of jobs) {
    const state = job.latestRun?.state;
    if (state !== undefined) counted.set(state, (counted.get(state) ?? 0) + 1);
  }
  return [...counted];
}
