import { Alert, Anchor, Group, Stack, Text } from "@mantine/core";
import { IconArrowsDiff, IconEqual } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { diffQuery } from "@/api/queries";
import type { Diff } from "@/api/schema";
import { graphAddress } from "@/parts/addresses";
import { Empty } from "@/parts/Empty";
import { moment, plural } from "@/parts/format";
import { MomentInput } from "@/parts/MomentInput";
import { NodePicker } from "@/parts/NodePicker";
import { Page } from "@/parts/Page";
import { QueryResult } from "@/parts/QueryResult";
import { Subject } from "@/parts/Subject";
import { useParam } from "@/parts/useParam";
import { EdgeChanges, NodeChanges, SchemaChanges } from "@/views/compare/Changes";

const DAY_MS = 86_400_000;

/** What changed between two moments, around a node or everywhere. */
export default function CompareView() {
  const [from, setFrom] = useParam("from");
  const [to, setTo] = useParam("to");
  const [nodeId, setNodeId] = useParam("node");
  // To the minute, so that the query stays the same while its answer is shown.
  const since = from ?? new Date(Math.floor(Date.now() / 60_000) * 60_000 - DAY_MS).toISOString();
  const query = useQuery(diffQuery(since, to, nodeId));
  return (
    <Page title="Compare" about="What was added, removed or changed between two moments.">
      <Group gap="md" align="flex-end">
        <MomentInput label="From" value={since} onChange={setFrom} />
        <MomentInput label="To (empty: now)" value={to} onChange={setTo} />
        {nodeId === null ? (
          <NodePicker label="Around" placeholder="Everything" onPick={setNodeId} />
        ) : (
          <Subject nodeId={nodeId} onChange={() => setNodeId(null)} />
        )}
      </Group>
      <QueryResult query={query} lines={8}>
        {(diff) => <Answer diff={diff} />}
      </QueryResult>
    </Page>
  );
}

function Answer({ diff }: { diff: Diff }) {
  const { nodes, edges, columns, schemas } = diff;
  const counts = [nodes.added, nodes.removed, edges.added, edges.removed, columns.added, columns.removed, schemas];
  if (counts.every((list) => list.length === 0)) {
    return (
      <Empty Icon={IconEqual} title="No difference">
        The graph was the same at {moment(diff.from)} and at {moment(diff.to)}.
      </Empty>
    );
  }
  const around = diff.nodeId ?? nodes.added[0]?.nodeId ?? schemas[0]?.nodeId;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          From {moment(diff.from)} to {moment(diff.to)}: {plural(nodes.added.length, "node")} added,{" "}
          {nodes.removed.length} removed; {plural(edges.added.length, "edge")} added, {edges.removed.length} removed;{" "}
          {plural(schemas.length, "schema")} changed.
        </Text>
        {around !== undefined && (
          <Anchor component={Link} size="sm" href={graphAddress(around, { against: diff.from, at: diff.to })}>
            <IconArrowsDiff size={14} aria-hidden /> Show in the graph
          </Anchor>
        )}
      </Group>
      {diff.truncated && (
        <Alert color="yellow" variant="light" title="More changes than shown" styles={{ title: { color: "inherit" } }}>
          Choose a shorter period or a single node to see everything.
        </Alert>
      )}
      <SchemaChanges changes={schemas} />
      <NodeChanges {...nodes} />
      <EdgeChanges title="Edges" {...edges} />
      <EdgeChanges title="Column lineage" {...columns} />
    </Stack>
  );
}
