/** Fetches what the address names, and puts the answers together. */

import { keepPreviousData, type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import {
  columnLineageQuery,
  datasetQuery,
  diffQuery,
  jobsQuery,
  lineageQuery,
  MOST_CHANGES,
  MOST_JOBS,
  namespaceJobsQuery,
  pathQuery,
} from "@/api/queries";
import type { Diff, Graph } from "@/api/schema";
import type { Mark } from "@/graph/canvas";
import { type ColumnLineage, columnsOf, NO_COLUMNS } from "@/graph/columns";
import { type Lineage, lineageOf, lineageOfJobs, NOTHING, withDatasets } from "@/graph/model";
import { compared, lineageOfDiff } from "@/graph/moments";
import { parse } from "@/graph/visible";
import { type GraphState, MOST_DEPTH } from "@/state/graphState";

export interface KnownLineage {
  lineage: Lineage;
  columns: ColumnLineage;
  cardMarks: ReadonlyMap<string, Mark>;
  wireMarks: ReadonlyMap<string, Mark>;
  isLoading: boolean;
  error: Error | null;
  retry: () => void;
  /** There is more than one answer may hold: only these many jobs of all. */
  cut: { jobs: number; all: number } | null;
  /** Of a moment in the past only the first nodes and edges are known. */
  isPart: boolean;
}

const NO_MARKS: ReadonlyMap<string, Mark> = new Map();
const BEFORE_ALL = "1970-01-01T00:00:00Z";

export function useLineage(state: GraphState): KnownLineage {
  const now = useMoment(state, state.at);
  const then = useMoment(state, state.against, state.against !== null);
  const difference = useQuery({
    ...diffQuery(state.against ?? BEFORE_ALL, state.at, state.node),
    enabled: state.against !== null,
  });
  const whole = useMemo(() => {
    if (state.against === null) return { lineage: now.lineage, cardMarks: NO_MARKS, wireMarks: NO_MARKS };
    return compared(then.lineage, now.lineage, difference.data?.schemas.map((schema) => schema.nodeId) ?? []);
  }, [state.against, now.lineage, then.lineage, difference.data]);
  const lineage = useFields(whole.lineage, state);
  const columns = useColumns(lineage, state);
  const all = [...now.queries, ...then.queries];
  return {
    ...whole,
    lineage,
    columns,
    isLoading: all.some((query) => query.isLoading),
    error: all.find((query) => query.error !== null)?.error ?? null,
    retry: () => {
      for (const query of all) if (query.error !== null) void query.refetch();
    },
    cut: now.cut,
    isPart: now.isPart || then.isPart,
  };
}

interface Moment {
  lineage: Lineage;
  queries: UseQueryResult<unknown, Error>[];
  cut: KnownLineage["cut"];
  isPart: boolean;
}

/** The graph that the address names, at a moment or now. */
function useMoment(state: GraphState, at: string | null, isEnabled = true): Moment {
  const isPath = state.pathFrom !== null && state.pathTo !== null;
  const isFocus = !isPath && state.node !== null;
  const around = useQueries({
    queries: (isEnabled && isFocus ? queriesAround(state, at) : []).map((one) => ({
      ...one,
      placeholderData: keepPreviousData,
    })),
    combine: together,
  });
  const path = useQuery({
    ...pathQuery(state.pathFrom ?? "", state.pathTo ?? "", at),
    enabled: isEnabled && isPath,
  });
  const everything = useEverything(state, at, isEnabled && !isPath && !isFocus);
  const lineage = useMemo(() => {
    if (isPath) return path.data === undefined ? NOTHING : lineageOf([path.data]);
    return isFocus ? lineageOf(around.answers) : everything.lineage;
  }, [isPath, isFocus, path.data, around.answers, everything.lineage]);
  const queries = isPath ? [path] : isFocus ? around.queries : everything.queries;
  const { cut, isPart } = isPath || isFocus ? { cut: null, isPart: false } : everything;
  return { lineage, queries: isEnabled ? queries : [], cut, isPart };
}

/** One job further than is shown, so that one sees where there is more. */
function queriesAround(state: GraphState, at: string | null) {
  const node = state.node ?? "";
  return [
    lineageQuery(node, "upstream", state.up + 1, at),
    lineageQuery(node, "downstream", state.down + 1, at),
    ...[...state.opened].map((step) => {
      const { way, id } = parse(step);
      return lineageQuery(id, way === "up" ? "upstream" : "downstream", 2, at);
    }),
  ];
}

function together(queries: UseQueryResult<Graph, Error>[]) {
  return { queries, answers: queries.map((query) => query.data).filter((data) => data !== undefined) };
}

/** All jobs and what they read and write, or those of some namespaces. */
function useEverything(state: GraphState, at: string | null, isEnabled: boolean): Moment {
  const some = [...state.namespaces];
  const all = useQuery({ ...jobsQuery(), enabled: isEnabled && some.length === 0 });
  const few = useQueries({
    queries: (isEnabled ? some : []).map((namespace) => namespaceJobsQuery(namespace)),
    combine: togetherJobs,
  });
  const past = useQuery({ ...diffQuery(BEFORE_ALL, at, null), enabled: isEnabled && at !== null });
  const answers = useMemo(
    () => (some.length === 0 ? (all.data === undefined ? [] : [all.data]) : few.answers),
    [some.length, all.data, few.answers],
  );
  const lineage = useMemo(() => {
    const present = lineageOfJobs(answers.flatMap((answer) => answer.jobs));
    if (at === null) return present;
    return past.data === undefined ? NOTHING : lineageOfDiff(past.data, present);
  }, [answers, at, past.data]);
  const count = answers.reduce((sum, answer) => sum + answer.totalCount, 0);
  const there = answers.reduce((sum, answer) => sum + answer.jobs.length, 0);
  const queries: UseQueryResult<unknown, Error>[] = some.length === 0 ? [all] : few.queries;
  return {
    lineage,
    queries: at === null ? queries : [...queries, past],
    cut: count > MOST_JOBS ? { jobs: there, all: count } : null,
    isPart: at !== null && past.data !== undefined && isCut(past.data),
  };
}

/** Lists of a difference end at the limit; whether those of columns do does not matter here. */
function isCut({ nodes, edges, truncated }: Diff): boolean {
  return truncated && Math.max(nodes.added.length, edges.added.length) >= MOST_CHANGES;
}

function togetherJobs<T>(queries: UseQueryResult<T, Error>[]) {
  return { queries, answers: queries.map((query) => query.data).filter((data) => data !== undefined) };
}

const isOpen = (state: GraphState, id: string) => state.hasColumns !== state.cards.has(id);

/** A list of jobs has no columns of their datasets: those of opened cards are fetched. */
function useFields(lineage: Lineage, state: GraphState): Lineage {
  const datasets = [...lineage.nodes.values()].filter(
    (node) => node.kind === "dataset" && node.fields === null && isOpen(state, node.id),
  );
  const learnt = useQueries({
    queries: datasets.slice(0, MOST_QUERIES).map((node) => datasetQuery(node.namespace, node.name)),
    combine: data,
  });
  return useMemo(() => withDatasets(lineage, learnt), [lineage, learnt]);
}

/** Single queries for columns that may run at once. */
const MOST_QUERIES = 60;

function useColumns(lineage: Lineage, state: GraphState): ColumnLineage {
  const opened = [...lineage.nodes.values()].filter((node) => node.kind === "dataset" && isOpen(state, node.id));
  // With all cards open one query around the focus covers most; else one for each opened card.
  const focus = state.node;
  const isAtOnce = state.hasColumns && focus?.startsWith("dataset:") === true;
  const single = isAtOnce ? [] : opened.slice(0, MOST_QUERIES);
  const answers = useQueries({
    queries: [
      ...(isAtOnce ? [columnLineageQuery(focus ?? "", Math.max(state.up, state.down) + 1, state.at)] : []),
      ...single.map((node) => columnLineageQuery(node.id, 1, state.at)),
      ...(state.column === null ? [] : [columnLineageQuery(state.column, MOST_DEPTH, state.at)]),
    ],
    combine: data,
  });
  return useMemo(() => (answers.length === 0 ? NO_COLUMNS : columnsOf(answers)), [answers]);
}

function data<T>(queries: UseQueryResult<T, Error>[]): T[] {
  return queries.map((query) => query.data).filter((one) => one !== undefined);
}
