/** Hooks for queries that several views share, each under a key of its own. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ApiError, api, body } from "@/api/client";
import { kindOf } from "@/api/names";
import { datasetQuery, namespacesQuery, runQuery, runsQuery } from "@/api/queries";
import type { ColumnData, DatasetData, GraphNode, JobData } from "@/api/schema";

/** A node id taken apart. Names may hold colons, so only the server can take it apart. */
export interface ResolvedNode {
  kind: "job" | "dataset";
  nodeId: string; // the canonical one
  namespace: string;
  name: string;
  column?: string;
}

export function useResolvedNode(nodeId: string | null) {
  return useQuery({
    queryKey: ["resolved", nodeId],
    enabled: nodeId !== null,
    staleTime: 60_000,
    queryFn: ({ signal }) => resolve(nodeId ?? "", signal),
  });
}

async function resolve(nodeId: string, signal: AbortSignal): Promise<ResolvedNode> {
  if (kindOf(nodeId) === "column") {
    const request = api.GET("/api/v1/column-lineage", { params: { query: { nodeId, depth: 0 } }, signal });
    const data = pick((await body(request)).graph, nodeId, "DATASET_FIELD").data as ColumnData;
    const owner = `dataset:${data.namespace}:${data.dataset}`;
    return { kind: "dataset", nodeId: owner, namespace: data.namespace, name: data.dataset, column: data.field };
  }
  const query = { nodeId, depth: 0, direction: "downstream" } as const;
  const graph = (await body(api.GET("/api/v1/lineage", { params: { query }, signal }))).graph;
  const kind = kindOf(nodeId) === "job" ? "job" : "dataset";
  const node = pick(graph, nodeId, kind === "job" ? "JOB" : "DATASET");
  const data = node.data as JobData | DatasetData;
  return { kind, nodeId: node.id, namespace: data.namespace, name: data.name };
}

/** The node itself; under another name it is the only one of its type. */
function pick(graph: GraphNode[], nodeId: string, type: string): GraphNode {
  const match = graph.find((node) => node.id === nodeId) ?? graph.find((node) => node.type === type);
  if (match === undefined) throw new ApiError(404, `There is no ${nodeId}.`);
  return match;
}

export function useDataset(namespace: string, name: string) {
  return useQuery(datasetQuery(namespace, name));
}

export function useVersions(namespace: string, name: string, limit: number) {
  return useQuery({
    queryKey: ["dataset", namespace, name, "versions", limit],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      body(
        api.GET("/api/v1/namespaces/{namespace}/datasets/{name}/versions", {
          params: { path: { namespace, name }, query: { limit } },
          signal,
        }),
      ),
  });
}

export function useFreshness(nodeId: string) {
  return useQuery({
    queryKey: ["freshness", nodeId],
    queryFn: ({ signal }) => body(api.GET("/api/v1/freshness", { params: { query: { nodeId } }, signal })),
  });
}

export function useJob(namespace: string, name: string) {
  return useQuery({
    queryKey: ["job", namespace, name],
    queryFn: ({ signal }) =>
      body(api.GET("/api/v1/namespaces/{namespace}/jobs/{name}", { params: { path: { namespace, name } }, signal })),
  });
}

export function useRuns(namespace: string, name: string, limit: number) {
  return useQuery({ ...runsQuery(namespace, name, limit), placeholderData: keepPreviousData });
}

export function useRun(runId: string) {
  return useQuery(runQuery(runId));
}

/** Jobs of all namespaces whose last run is in one of these states, the last active first. */
export function useJobs(lastRunStates: ("RUNNING" | "FAILED" | "ABORTED" | "COMPLETED")[], limit: number) {
  return useQuery({
    queryKey: ["jobs", lastRunStates, limit],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => body(api.GET("/api/v1/jobs", { params: { query: { lastRunStates, limit } }, signal })),
  });
}

/** Jobs that are late, and runs that are stuck, among the last active ones. Time alone makes a job late. */
export function useLate() {
  return useQuery({
    queryKey: ["late"],
    refetchInterval: 30_000,
    queryFn: ({ signal }) => body(api.GET("/api/v1/late", { signal })),
  });
}

export interface SearchFilter {
  q: string;
  filter?: "JOB" | "DATASET";
  namespace?: string;
  after?: string;
  sort?: "NAME" | "UPDATE_AT";
  limit: number;
}

export function useSearchHits(filter: SearchFilter) {
  return useQuery({
    queryKey: ["search", filter],
    enabled: filter.q.trim() !== "",
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => body(api.GET("/api/v1/search", { params: { query: filter }, signal })),
  });
}

export function useNamespaces() {
  return useQuery(namespacesQuery());
}
