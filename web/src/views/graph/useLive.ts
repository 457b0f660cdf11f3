/** Updates of the graph while it is shown: states of runs, new nodes and edges, failures, rates of streams. */

import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type LiveState, live } from "@/api/live";
import { runQuery } from "@/api/queries";
import type { LiveChange } from "@/api/schema";
import type { Lineage, RunState } from "@/graph/model";
import type { Visible } from "@/graph/visible";
import { liveJobs } from "@/state/liveJobs";
import { throughputOf } from "@/state/throughput";
import { stateColour } from "@/theme/states";

/** New structure is fetched at most this often, however many events come in. */
const REFETCH_MS = 800;
/** Rates of one job are fetched at most this often. */
const THROUGHPUT_MS = 3000;

interface Options {
  isOn: boolean; // neither paused nor in the past
  lineage: Lineage;
  visible: Visible;
  focus: string | null;
  flyTo: (id: string) => void;
}

export function useLive(options: Options): LiveState {
  const [state, setState] = useState<LiveState>("connecting");
  const queries = useQueryClient();
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    if (!options.isOn) return;
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const fetchedAt = new Map<string, number>();
    const refetch = () => {
      waiting ??= setTimeout(() => {
        waiting = undefined;
        for (const key of ["lineage", "column-lineage", "path", "jobs", "dataset", "namespaces"]) {
          void queries.invalidateQueries({ queryKey: [key], refetchType: "active" });
        }
      }, REFETCH_MS);
    };
    const onRun = (run: NonNullable<LiveChange["run"]>, at: string, isFirst: boolean) => {
      const before = liveJobs.get(run.job);
      // A late event of an older run says nothing of the present.
      if (before !== undefined && before.run.id !== run.id && (before.run.startedAt ?? "") > (run.startedAt ?? at))
        return;
      const isBad = run.state === "FAILED" || run.state === "ABORTED";
      const isNewFailure = isBad && run.before !== run.state;
      liveJobs.set(run.job, {
        run: { id: run.id, state: run.state as RunState, startedAt: run.startedAt, endedAt: run.endedAt },
        throughput: run.state === "RUNNING" && before?.run.id === run.id ? before.throughput : null,
        isAlarming: isNewFailure || (isBad && (before?.isAlarming ?? false)),
      });
      const { lineage, visible, flyTo } = latest.current;
      if (!isShown(run.job, visible)) return;
      const label = lineage.nodes.get(run.job)?.label ?? run.job;
      if (isNewFailure) announceEnd(label, run.state as RunState, () => flyTo(run.job));
      // A run that just started has no throughput yet.
      if (run.state === "RUNNING" && !isFirst) fetchThroughput(run.id, run.job);
    };
    const fetchThroughput = (run: string, job: string) => {
      const now = Date.now();
      if (now - (fetchedAt.get(job) ?? 0) < THROUGHPUT_MS) return;
      fetchedAt.set(job, now);
      // Not cached: the next answer differs, and there may be thousands of runs.
      queries.fetchQuery({ ...runQuery(run), staleTime: 0, gcTime: 0 }).then(
        (fresh) => {
          const liveJob = liveJobs.get(job);
          if (liveJob?.run.id === run) liveJobs.set(job, { ...liveJob, throughput: throughputOf(fresh) });
        },
        () => {}, // the next event fetches again
      );
    };
    const stop = live.listen({
      state: setState,
      resync: () => {
        liveJobs.clear();
        refetch();
      },
      change: (change) => {
        if (change.run !== null) onRun(change.run, change.eventTime, change.eventType === "START");
        if (isStructural(change) && touched(change).some((id) => isNear(id, latest.current))) refetch();
      },
    });
    return () => {
      stop();
      clearTimeout(waiting);
      liveJobs.clear();
    };
  }, [options.isOn, queries]);
  return state;
}

/** Whether a node is in the lineage that was fetched: what is shown, or next to it. */
function isNear(id: string, { lineage, focus }: Options): boolean {
  return lineage.nodes.size === 0 || focus === null || lineage.nodes.has(id);
}

function isShown(job: string, { nodes }: Visible): boolean {
  if (nodes.has(job)) return true;
  return [...nodes.values()].some((node) => node.kind === "group" && node.members.some((one) => one.id === job));
}

function isStructural(change: LiveChange): boolean {
  const lists = [
    change.addedNodes,
    change.addedEdges,
    change.removedNodes,
    change.removedEdges,
    change.schemas,
    change.columns,
  ];
  return lists.some((list) => list.length > 0);
}

function touched(change: LiveChange): string[] {
  return [
    ...change.addedNodes.map((node) => node.nodeId),
    ...[...change.addedEdges, ...change.removedEdges].flatMap((edge) => [edge.origin, edge.destination]),
    ...change.removedNodes,
    ...change.schemas,
    ...change.columns,
  ];
}

/** A toast for a run that ended badly; a click goes there. */
function announceEnd(label: string, state: RunState, go: () => void): void {
  notifications.show({
    color: stateColour(state),
    title: state === "FAILED" ? "A run failed" : "A run was aborted",
    message: `${label}: click to see it`,
    autoClose: 12_000,
    onClick: go,
    style: { cursor: "pointer" },
  });
}
