/** What people may change. Descriptions are sent as OpenLineage events, so that they are in the log. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import type { ResolvedNode } from "@/api/hooks";

type Entity = Pick<ResolvedNode, "kind" | "namespace" | "name">;

const PRODUCER = "urn:headwater:page";
const SPEC = "https://openlineage.io/spec";

export function useDescribe(entity: Entity) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (description: string) => {
      const answer = await fetch("/api/v1/lineage", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(describing(entity, description, new Date())),
      });
      if (!answer.ok) throw new Error(`The server answered with status ${answer.status}.`);
    },
    onSuccess: () => cache.invalidateQueries({ queryKey: [entity.kind, entity.namespace, entity.name] }),
  });
}

/** An event that says nothing but the description: whatever else is known stays as it is. */
export function describing({ kind, namespace, name }: Entity, description: string, at: Date) {
  const type = kind === "job" ? "DocumentationJobFacet" : "DocumentationDatasetFacet";
  const documentation = {
    _producer: PRODUCER,
    _schemaURL: `${SPEC}/facets/1-1-0/${type}.json#/$defs/${type}`,
    description,
  };
  return {
    eventTime: at.toISOString(),
    producer: PRODUCER,
    schemaURL: `${SPEC}/2-0-2/OpenLineage.json#/$defs/${kind === "job" ? "JobEvent" : "DatasetEvent"}`,
    [kind]: { namespace, name, facets: { documentation } },
  };
}

export interface TagChange {
  tag: string;
  on: boolean;
}

export function useTag({ kind, namespace, name }: Entity) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async ({ tag, on }: TagChange) => {
      const params = { path: { namespace, name, tag } };
      if (kind === "job") {
        const address = "/api/v1/namespaces/{namespace}/jobs/{name}/tags/{tag}";
        await body(on ? api.POST(address, { params }) : api.DELETE(address, { params }));
      } else {
        const address = "/api/v1/namespaces/{namespace}/datasets/{name}/tags/{tag}";
        await body(on ? api.POST(address, { params }) : api.DELETE(address, { params }));
      }
    },
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: ["tags"] });
      return cache.invalidateQueries({ queryKey: [kind, namespace, name] });
    },
  });
}
