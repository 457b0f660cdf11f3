import { Badge, Group, Stack, Text } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "@/api/client";
import type { Dataset, FieldLineage, InputFieldRef } from "@/api/schema";
import { Empty } from "@/parts/Empty";
import { FilterBox } from "@/parts/FilterBox";
import { NodeName } from "@/parts/NodeName";
import classes from "@/views/details/details.module.css";
import { Section } from "@/views/details/Section";
import { type Use, usesOf } from "@/views/details/uses";

interface Props {
  dataset: Dataset;
  column: string | undefined; // the one that was opened
  onNavigate: (nodeId: string) => void;
}

const SHOWN = 100;

/** Where each column comes from, and how; for the picked one also where it goes. */
export function ColumnsTab({ dataset, column, onNavigate }: Props) {
  const [filter, setFilter] = useState("");
  const lineage = dataset.columnLineage ?? [];
  const known = new Set(lineage.map((field) => field.name));
  const all: FieldLineage[] = [
    ...lineage,
    ...dataset.fields.filter((field) => !known.has(field.name)).map(({ name }) => ({ name, inputFields: [] })),
  ];
  if (all.length === 0) {
    return (
      <Empty Icon={IconColumns3} title="No columns reported yet">
        Column lineage comes from the <code>columnLineage</code> facet of output datasets.
      </Empty>
    );
  }
  const matches = all.filter((field) => field.name.toLowerCase().includes(filter.toLowerCase()));
  const shown = [
    ...matches.filter((field) => field.name === column),
    ...matches.filter((field) => field.name !== column),
  ];
  const base = `${dataset.namespace}:${dataset.name}`;
  return (
    <Stack gap={0}>
      {column !== undefined && <GoesTo nodeId={`datasetField:${base}:${column}`} onNavigate={onNavigate} />}
      <Section title="Upstream">
        <FilterBox label="Find a column" value={filter} onChange={setFilter} />
        <ul className={classes.columns}>
          {shown.slice(0, SHOWN).map((field) => (
            <li key={field.name} className={classes.column} data-picked={field.name === column}>
              <NodeName nodeId={`datasetField:${base}:${field.name}`} name={field.name} onClick={onNavigate} />
              <Sources inputs={field.inputFields} onNavigate={onNavigate} />
            </li>
          ))}
        </ul>
        {shown.length > SHOWN && (
          <Text size="sm" c="dimmed">
            {shown.length - SHOWN} more. Type part of a name to filter.
          </Text>
        )}
      </Section>
    </Stack>
  );
}

function Sources({ inputs, onNavigate }: { inputs: InputFieldRef[]; onNavigate: Props["onNavigate"] }) {
  if (inputs.length === 0) {
    return (
      <Text size="xs" c="dimmed" ml={24}>
        no source reported
      </Text>
    );
  }
  return (
    <Stack gap={4} ml={24} mt={4}>
      {inputs.map((input) => {
        const nodeId = `datasetField:${input.namespace}:${input.dataset}:${input.field}`;
        return (
          <Group key={nodeId} gap="xs" wrap="nowrap">
            <NodeName nodeId={nodeId} name={input.field} namespace={input.dataset} onClick={onNavigate} />
            <Group gap={4} ml="auto" wrap="nowrap">
              {usesOf(input).map((use) => (
                <UseBadge key={use.word} use={use} />
              ))}
            </Group>
          </Group>
        );
      })}
    </Stack>
  );
}

export function UseBadge({ use }: { use: Use }) {
  return (
    <Badge size="xs" tt="none" variant={use.direct ? "outline" : "default"} title={use.title}>
      {use.word}
      {use.masked && " · masked"}
    </Badge>
  );
}

function GoesTo({ nodeId, onNavigate }: { nodeId: string; onNavigate: Props["onNavigate"] }) {
  const lineageQuery = useQuery({
    queryKey: ["column", nodeId],
    queryFn: ({ signal }) => {
      const query = { nodeId, depth: 1, withDownstream: true };
      return body(api.GET("/api/v1/column-lineage", { params: { query }, signal }));
    },
  });
  const targets =
    lineageQuery.data?.graph.find((node) => node.id === nodeId)?.outEdges.map((edge) => edge.destination) ?? [];
  const named = targets.flatMap((id) => {
    const node = lineageQuery.data?.graph.find((each) => each.id === id);
    return node !== undefined && "field" in node.data ? [{ id, data: node.data }] : [];
  });
  return (
    <Section title="Downstream">
      {named.length === 0 ? (
        <Text size="sm" c="dimmed">
          {lineageQuery.isPending ? "…" : "No known use."}
        </Text>
      ) : (
        <Stack gap={4}>
          {named.map(({ id, data }) => (
            <NodeName key={id} nodeId={id} name={data.field} namespace={data.dataset} onClick={onNavigate} />
          ))}
        </Stack>
      )}
    </Section>
  );
}
