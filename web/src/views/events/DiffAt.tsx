import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import type { Diff } from "@/api/schema";
import { QueryResult } from "@/parts/QueryResult";
import { EdgeChanges, NodeChanges, SchemaChanges } from "@/views/compare/Changes";
import type { Row } from "@/views/events/rows";

/** What an event of the past changed: the graph around it, just before and just after. */
export function DiffAt({ row }: { row: Row }) {
  const nodeId = row.subject?.nodeId;
  const query = useQuery({
    queryKey: ["diff at", row.key],
    staleTime: 60_000,
    queryFn: ({ signal }) => {
      const ms = Date.parse(row.at);
      const from = new Date(ms - 1).toISOString();
      const to = new Date(ms + 1).toISOString();
      return body(api.GET("/api/v1/diff", { params: { query: { from, to, nodeId, depth: 1 } }, signal }));
    },
  });
  return (
    <QueryResult query={query} lines={2}>
      {(diff) =>
        isNothing(diff) ? (
          <Text size="sm" c="dimmed">
            Nothing in the graph: its nodes and edges were already there.
          </Text>
        ) : (
          <Stack gap="xs">
            <NodeChanges {...diff.nodes} />
            <EdgeChanges title="Edges" {...diff.edges} />
            <SchemaChanges changes={diff.schemas} />
            <EdgeChanges title="Column lineage" {...diff.columns} />
          </Stack>
        )
      }
    </QueryResult>
  );
}

function isNothing({ nodes, edges, columns, schemas }: Diff): boolean {
  const lists = [nodes.added, nodes.removed, edges.added, edges.removed, columns.added, columns.removed, schemas];
  return lists.every((list) => list.length === 0);
}
