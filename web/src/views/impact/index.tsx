import { Alert, Anchor, Button, Group, SegmentedControl, Select, Stack, Text } from "@mantine/core";
import { IconArrowDownRight, IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { api, body } from "@/api/client";
import { type ResolvedNode, useDataset, useResolvedNode } from "@/api/hooks";
import { kindOf } from "@/api/names";
import type { Impact } from "@/api/schema";
import { columnId, graphAddress } from "@/parts/addresses";
import { download } from "@/parts/download";
import { Empty } from "@/parts/Empty";
import { FilterBox } from "@/parts/FilterBox";
import { plural } from "@/parts/format";
import { NodePicker } from "@/parts/NodePicker";
import { Page } from "@/parts/Page";
import { QueryResult } from "@/parts/QueryResult";
import { Subject } from "@/parts/Subject";
import { useParam } from "@/parts/useParam";
import { toCsv } from "@/views/impact/csv";
import { filtered } from "@/views/impact/filtered";
import { Levels } from "@/views/impact/Levels";

const LIMIT = 10_000;
const KINDS = [
  { value: "", label: "All" },
  { value: "JOB", label: "Jobs" },
  { value: "DATASET", label: "Datasets" },
  { value: "DATASET_FIELD", label: "Columns" },
];
const USES = [
  { value: "", label: "Any use" },
  { value: "DIRECT", label: "Direct" },
  { value: "INDIRECT", label: "Indirect" },
  { value: "UNKNOWN", label: "Unknown" },
];

/** What a change would break: everything downstream, nearest first. */
export default function ImpactView() {
  const [nodeId, setNodeId] = useParam("node");
  return (
    <Page title="Impact" about="Everything downstream that a change affects, nearest first.">
      {nodeId === null ? (
        <>
          <NodePicker label="Impact of" placeholder="A dataset or a job" onPick={setNodeId} />
          <Empty Icon={IconArrowDownRight} title="Pick what you want to change">
            You see every job, dataset and column that depends on it, with owners and how often it runs.
          </Empty>
        </>
      ) : (
        <ImpactOf key={nodeId} nodeId={nodeId} onChange={setNodeId} />
      )}
    </Page>
  );
}

function ImpactOf({ nodeId, onChange }: { nodeId: string; onChange: (nodeId: string | null) => void }) {
  const resolved = useResolvedNode(nodeId);
  const query = useQuery({
    queryKey: ["impact", nodeId],
    queryFn: ({ signal }) => body(api.GET("/api/v1/impact", { params: { query: { nodeId, limit: LIMIT } }, signal })),
  });
  return (
    <Stack gap="md">
      <Group gap="lg" align="center">
        <Subject nodeId={nodeId} onChange={() => onChange(null)} />
        {resolved.data?.kind === "dataset" && <ColumnSelect node={resolved.data} onChange={onChange} />}
      </Group>
      <QueryResult query={query} lines={8}>
        {(impact) => <Answer impact={impact} node={resolved.data} />}
      </QueryResult>
    </Stack>
  );
}

/** Narrows the impact to one column. */
function ColumnSelect({ node, onChange }: { node: ResolvedNode; onChange: (nodeId: string) => void }) {
  const fields = useDataset(node.namespace, node.name).data?.fields ?? [];
  if (fields.length === 0) return null;
  return (
    <Select
      size="xs"
      w={220}
      aria-label="Only this column"
      placeholder="All columns"
      data={[...new Set(fields.map((field) => field.name))]}
      value={node.column ?? null}
      searchable
      clearable
      limit={200}
      onChange={(column) => onChange(column === null ? node.nodeId : columnId(node.namespace, node.name, column))}
    />
  );
}

function Answer({ impact, node }: { impact: Impact; node: ResolvedNode | undefined }) {
  const [kind, setKind] = useParam("kind");
  const [use, setUse] = useParam("use");
  const [words, setWords] = useState("");
  const levels = filtered(impact.levels, { kind: kind ?? "", use: use ?? "", words });
  // Single columns are listed only for the impact of a column.
  const hasColumns = impact.levels.some((level) => level.nodes.some((each) => each.field !== null));
  const kinds = KINDS.filter(({ value }) => value !== "DATASET_FIELD" || hasColumns);
  const rows = levels.flatMap((level) => level.nodes);
  const owners = Object.entries(impact.owners);
  if (impact.levels.every((level) => level.nodes.length === 0)) {
    return (
      <Empty Icon={IconArrowDownRight} title="Nothing depends on it">
        No known job reads {kindOf(impact.nodeId) === "column" ? "this column" : "it"}. As far as Headwater knows, it is
        safe to change.
      </Empty>
    );
  }
  return (
    <Stack gap="sm">
      <Text>
        It feeds <b>{plural(impact.jobs, "job")}</b>, <b>{plural(impact.datasets, "dataset")}</b> and{" "}
        <b>{plural(impact.columns, "column")}</b>.{" "}
        {owners.length === 0
          ? "No owner reported."
          : `Owners: ${owners.map(([name, count]) => `${name} (${count})`).join(", ")}.`}
      </Text>
      {impact.truncated && (
        <Alert
          color="yellow"
          variant="light"
          title={`More than ${LIMIT.toLocaleString("en")}`}
          styles={{ title: { color: "inherit" } }}
        >
          Only the nearest are shown. Pick a column, or a node further downstream, for a complete answer.
        </Alert>
      )}
      <Group gap="sm" justify="space-between">
        <Group gap="sm">
          <SegmentedControl size="xs" aria-label="Kind" data={kinds} value={kind ?? ""} onChange={setKind} />
          <SegmentedControl size="xs" aria-label="Use" data={USES} value={use ?? ""} onChange={setUse} />
          <FilterBox label="Name or owner" width={180} value={words} onChange={setWords} />
        </Group>
        <Group gap="sm">
          {node !== undefined && (
            <Anchor component={Link} size="sm" href={graphAddress(node, { up: 0, down: 20 })}>
              Show in the graph
            </Anchor>
          )}
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={15} />}
            onClick={() => download("impact.csv", new Blob([toCsv(rows)], { type: "text/csv" }))}
          >
            CSV
          </Button>
        </Group>
      </Group>
      <Levels levels={levels} />
    </Stack>
  );
}
