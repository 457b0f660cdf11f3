/** Queries and changes of connectors. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import { userName } from "@/views/connectors/userName";

export type Config = Record<string, string>;
export type Action = "pause" | "resume" | "stop" | "restart" | "restart failed" | "delete";

/** A connector is named by its cluster and its name. */
export interface ConnectorId {
  cluster: string;
  name: string;
}

// The live stream has lineage; the state of a task only Connect knows.
const EVERY_MS = 3000;
const CLUSTER = "/api/v1/connect/clusters/{cluster}";
const CONNECTOR = "/api/v1/connect/clusters/{cluster}/connectors/{name}";

export function useClusters() {
  return useQuery({
    queryKey: ["connect", "clusters"],
    staleTime: 30_000,
    queryFn: ({ signal }) => body(api.GET("/api/v1/connect/clusters", { signal })),
  });
}

export function useConnectors() {
  return useQuery({
    queryKey: ["connect", "list"],
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => body(api.GET("/api/v1/connect/connectors", { signal })),
  });
}

export function useConnector(named: ConnectorId) {
  return useQuery({
    queryKey: ["connect", "one", named.cluster, named.name],
    refetchInterval: EVERY_MS,
    queryFn: ({ signal }) => body(api.GET(CONNECTOR, { params: { path: { ...named } }, signal })),
  });
}

export function usePlugins(cluster: string) {
  return useQuery({
    queryKey: ["connect", "plugins", cluster],
    enabled: cluster !== "",
    staleTime: 60_000,
    queryFn: ({ signal }) => body(api.GET(`${CLUSTER}/plugins`, { params: { path: { cluster } }, signal })),
  });
}

export function useValidate() {
  return useMutation({
    mutationFn: ({ cluster, name, config }: { cluster: string; name: string; config: Config }) => {
      const payload = name === "" ? { config } : { config, name };
      return body(api.POST(`${CLUSTER}/validate`, { params: { path: { cluster } }, body: payload }));
    },
  });
}

/** Makes a connector, or gives one another configuration. */
export function usePut() {
  return useChange(async ({ cluster, name, config, isNew }: ConnectorId & { config: Config; isNew: boolean }) => {
    const header = { "Headwater-User": userName() };
    if (isNew) {
      await body(api.POST(`${CLUSTER}/connectors`, { params: { path: { cluster }, header }, body: { name, config } }));
    } else {
      await body(api.PUT(`${CONNECTOR}/config`, { params: { path: { cluster, name }, header }, body: { config } }));
    }
  });
}

export function useAct() {
  return useChange(async ({ cluster, name, action }: ConnectorId & { action: Action }) => {
    const params = { path: { cluster, name }, header: { "Headwater-User": userName() } };
    if (action === "delete") await body(api.DELETE(CONNECTOR, { params }));
    else if (action === "pause") await body(api.PUT(`${CONNECTOR}/pause`, { params }));
    else if (action === "resume") await body(api.PUT(`${CONNECTOR}/resume`, { params }));
    else if (action === "stop") await body(api.PUT(`${CONNECTOR}/stop`, { params }));
    else {
      const query = { onlyFailed: action === "restart failed" };
      await body(api.PUT(`${CONNECTOR}/restart`, { params: { ...params, query } }));
    }
  });
}

export function useRestartTask() {
  return useChange(async ({ cluster, name, task }: ConnectorId & { task: number }) => {
    const params = { path: { cluster, name, task: String(task) }, header: { "Headwater-User": userName() } };
    await body(api.PUT(`${CONNECTOR}/tasks/{task}/restart`, { params }));
  });
}

function useChange<T>(change: (variables: T) => Promise<void>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => cache.invalidateQueries({ queryKey: ["connect"] }),
  });
}
