/** Queries to the server, each with the key that its answer is cached under. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "@/api/client";

export type Direction = "upstream" | "downstream";

const moment = (at: string | null) => (at === null ? {} : { at });

export const lineageQuery = (nodeId: string, direction: Direction, depth: number, at: string | null) =>
  queryOptions({
    queryKey: ["lineage", nodeId, direction, depth, at],
    queryFn: ({ signal }) =>
      body(api.GET("/api/v1/lineage", { signal, params: { query: { nodeId, direction, depth, ...moment(at) } } })),
  });

export const columnLineageQuery = (nodeId: string, depth: number, at: string | null) =>
  queryOptions({
    queryKey: ["column-lineage", nodeId, depth, at],
    queryFn: ({ signal }) =>
      body(
        api.GET("/api/v1/column-lineage", {
          signal,
          params: { query: { nodeId, depth, withDownstream: true, ...moment(at) } },
        }),
      ),
  });

export const pathQuery = (from: string, to: string, at: string | null) =>
  queryOptions({
    queryKey: ["path", from, to, at],
    queryFn: ({ signal }) => body(api.GET("/api/v1/path", { signal, params: { query: { from, to, ...moment(at) } } })),
  });

/** As many as one answer may have. */
export const MOST_JOBS = 1000;

export const jobsQuery = () =>
  queryOptions({
    queryKey: ["jobs", "all"],
    queryFn: ({ signal }) => body(api.GET("/api/v1/jobs", { signal, params: { query: { limit: MOST_JOBS } } })),
  });

export const namespaceJobsQuery = (namespace: string) =>
  queryOptions({
    queryKey: ["jobs", "namespace", namespace],
    queryFn: ({ signal }) =>
      body(
        api.GET("/api/v1/namespaces/{namespace}/jobs", {
          signal,
          params: { path: { namespace }, query: { limit: MOST_JOBS } },
        }),
      ),
  });

export const namespacesQuery = () =>
  queryOptions({
    queryKey: ["namespaces"],
    queryFn: ({ signal }) => body(api.GET("/api/v1/namespaces", { signal, params: { query: { limit: 1000 } } })),
    staleTime: 60_000,
  });

export const datasetQuery = (namespace: string, name: string) =>
  queryOptions({
    queryKey: ["dataset", namespace, name],
    queryFn: ({ signal }) =>
      body(
        api.GET("/api/v1/namespaces/{namespace}/datasets/{name}", { signal, params: { path: { namespace, name } } }),
      ),
  });

export const runsQuery = (namespace: string, name: string, limit: number) =>
  queryOptions({
    queryKey: ["runs", namespace, name, limit],
    queryFn: ({ signal }) =>
      body(
        api.GET("/api/v1/namespaces/{namespace}/jobs/{name}/runs", {
          signal,
          params: { path: { namespace, name }, query: { limit } },
        }),
      ),
  });

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: ["run", runId],
    queryFn: ({ signal }) =>
      body(api.GET("/api/v1/jobs/runs/{run_id}", { signal, params: { path: { run_id: runId } } })),
  });

/** As many of each kind as one answer may have. */
export const MOST_CHANGES = 1000;

export const diffQuery = (from: string, to: string | null, nodeId: string | null) =>
  queryOptions({
    queryKey: ["diff", from, to, nodeId],
    queryFn: ({ signal }) =>
      body(
        api.GET("/api/v1/diff", {
          signal,
          params: {
            query: {
              from,
              limit: MOST_CHANGES,
              ...(to === null ? {} : { to }),
              ...(nodeId === null ? {} : { nodeId }),
            },
          },
        }),
      ),
  });

export const searchQuery = (q: string, limit: number) =>
  queryOptions({
    queryKey: ["search", q, limit],
    queryFn: ({ signal }) => body(api.GET("/api/v1/search", { signal, params: { query: { q, limit } } })),
    enabled: q.trim() !== "",
  });
