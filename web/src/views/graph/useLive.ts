/** What happens while one looks: states of runs, new nodes and edges, failures, rates of streams. */

import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type LiveState, live } from "@/api/live";
import { runQuery } from "@/api/queries";
import type { LiveChange } from "@/api/schema";
import type { RunState } from "@/graph/model";
import { liveJobs } from "@/state/liveJobs";
import { throughputOf } from "@/state/throughput";
import { stateColour } from "@/states";

/** New structure is asked for at most this often, however much happens. */
const ASK_MS = 800;
/** Rates of one job are asked for at most this often. */
const FLOW_MS = 3000;

interface Options {
  isOn: boolean; // neither paused nor in the past
  /** Whether a job or dataset is in the picture, or next to what is. */
  concerns: (id: string) => boolean;
  isShownJob: (id: string) => boolean;
  onAlarm: (job: string) => void;
}

export function useLive(options: Options): LiveState {
  const [state, setState] = useState<LiveState>("connecting");
  const queries = useQueryClient();
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    if (!options.isOn) return;
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const askedAt = new Map<string, number>();
    const askAgain = () => {
      waiting ??= setTimeout(() => {
        waiting = undefined;
        for (const key of ["lineage", "column-lineage", "path", "jobs", "dataset", "namespaces"]) {
          void queries.invalidateQueries({ queryKey: [key], refetchType: "active" });
        }
      }, ASK_MS);
    };
    const onRun = (run: NonNullable<LiveChange["run"]>, at: string, isFirst: boolean) => {
      const before = liveJobs.get(run.job);
      // A late event of an older run says nothing of the present.
      if (before !== undefined && before.run.id !== run.id && (before.run.startedAt ?? "") > (run.startedAt ?? at))
        return;
      const isBad = run.state === "FAILED" || run.state === "ABORTED";
      const isNews = isBad && run.before !== run.state;
      liveJobs.set(run.job, {
        run: { id: run.id, state: run.state as RunState, startedAt: run.startedAt, endedAt: run.endedAt },
        flow: run.state === "RUNNING" && before?.run.id === run.id ? before.flow : null,
        isAlarming: isNews || (isBad && (before?.isAlarming ?? false)),
      });
      if (!latest.current.isShownJob(run.job)) return;
      if (isNews) latest.current.onAlarm(run.job);
      // A start has nothing to tell of its pace yet.
      if (run.state === "RUNNING" && !isFirst) askFlow(run.id, run.job);
    };
    const askFlow = (run: string, job: string) => {
      const now = Date.now();
      if (now - (askedAt.get(job) ?? 0) < FLOW_MS) return;
      askedAt.set(job, now);
      // Not kept: the next answer is another one, and there may be thousands of runs.
      queries.fetchQuery({ ...runQuery(run), staleTime: 0, gcTime: 0 }).then(
        (fresh) => {
          const fact = liveJobs.get(job);
          if (fact?.run.id === run) liveJobs.set(job, { ...fact, flow: throughputOf(fresh) });
        },
        () => {}, // the next event asks again
      );
    };
    const stop = live.listen({
      state: setState,
      resync: () => {
        liveJobs.clear();
        askAgain();
      },
      change: (change) => {
        if (change.run !== null) onRun(change.run, change.eventTime, change.eventType === "START");
        if (isStructural(change) && touched(change).some(latest.current.concerns)) askAgain();
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
export function announceEnd(label: string, state: RunState, go: () => void): void {
  notifications.show({
    color: stateColour(state),
    title: state === "FAILED" ? "A run failed" : "A run was aborted",
    message: `${label}: click to see it`,
    autoClose: 12_000,
    onClick: go,
    style: { cursor: "pointer" },
  });
}
