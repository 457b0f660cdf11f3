/** The lines of the panels on the home page, from what the API says of jobs. */

import type { Job, LateJob, StuckJob } from "@/api/schema";
import { duration } from "@/parts/format";

export interface PanelJob {
  nodeId: string;
  namespace: string;
  name: string;
  state: string | undefined; // of its latest run
  at: string | null | undefined; // when that ended or started
  note?: string;
}

export function panelJob(job: Job, stuck?: ReadonlyMap<string, StuckJob>, now = Date.now()): PanelJob {
  const nodeId = `job:${job.namespace}:${job.name}`;
  const run = job.latestRun;
  const silent = stuck?.get(nodeId);
  return {
    nodeId,
    namespace: job.namespace,
    name: job.name,
    state: run?.state,
    at: run?.endedAt ?? run?.startedAt ?? run?.createdAt,
    note: silent === undefined ? undefined : stuckNote(silent, now),
  };
}

/** Streams are stuck when they are silent, batch jobs when they run far longer than usual. */
function stuckNote({ run, lastEventAt, usualSeconds }: StuckJob, now: number): string {
  if (usualSeconds === null || run.startedAt === null) return `no event for ${duration(now - Date.parse(lastEventAt))}`;
  const running = duration(now - Date.parse(run.startedAt));
  return `running for ${running}, usually takes ${duration(usualSeconds * 1000)}`;
}

export function latePanelJob(
  { nodeId, namespace, name, run, expectedAt, everySeconds }: LateJob,
  now: number,
): PanelJob {
  const overdue = duration(now - Date.parse(expectedAt));
  return {
    nodeId,
    namespace,
    name,
    state: run.state,
    at: run.endedAt ?? run.startedAt,
    note: `due ${overdue} ago, usually every ${duration(everySeconds * 1000)}`,
  };
}
