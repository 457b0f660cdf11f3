import { SimpleGrid, Stack, Text, Title } from "@mantine/core";
import type { EdgeRef, NodeRef, SchemaChange } from "@/api/schema";
import { cut, plural } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";
import parts from "@/parts/parts.module.css";
import { TimeAgo } from "@/parts/TimeAgo";
import { FieldChanges } from "@/views/details/FieldChanges";
import { openDetails } from "@/views/details/open";
import { NodeById } from "@/views/why/NodeById";

const SHOWN = 200;

interface Lists<T> {
  added: T[];
  removed: T[];
}

export function NodeChanges({ added, removed }: Lists<NodeRef>) {
  const line = (node: NodeRef) => (
    <NodeName nodeId={node.nodeId} name={node.name} namespace={node.namespace} onClick={(id) => openDetails(id)} />
  );
  return <Both title="Jobs and datasets" added={added} removed={removed} keyOf={(node) => node.nodeId} line={line} />;
}

export function EdgeChanges({ title, added, removed }: Lists<EdgeRef> & { title: string }) {
  const line = (edge: EdgeRef) => (
    <Text size="sm" className={parts.free} component="span">
      <bdi>{cut(edge.origin, 200)}</bdi> → <bdi>{cut(edge.destination, 200)}</bdi>
    </Text>
  );
  const keyOf = (edge: EdgeRef) => `${edge.origin} ${edge.destination}`;
  return <Both title={title} added={added} removed={removed} keyOf={keyOf} line={line} wide />;
}

export function SchemaChanges({ changes }: { changes: SchemaChange[] }) {
  if (changes.length === 0) return null;
  return (
    <section className={parts.tile}>
      <Title order={2} size="h5" mb="xs">
        Schemas
      </Title>
      <Stack gap="sm">
        {changes.slice(0, SHOWN).map((change) => (
          <div key={change.nodeId}>
            <NodeById nodeId={change.nodeId} />
            <Text size="xs" c="dimmed">
              <TimeAgo at={change.at} />
            </Text>
            <FieldChanges {...change} />
          </div>
        ))}
      </Stack>
    </section>
  );
}

interface BothProps<T> extends Lists<T> {
  wide?: boolean;
  title: string;
  keyOf: (item: T) => string;
  line: (item: T) => React.ReactNode;
}

function Both<T>({ title, added, removed, keyOf, line, wide = false }: BothProps<T>) {
  if (added.length + removed.length === 0) return null;
  return (
    <section className={parts.tile}>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      <Stack gap="md">
        <OneWay sign="+" word="Added" look={parts.added} items={added} keyOf={keyOf} line={line} wide={wide} />
        <OneWay sign="−" word="Removed" look={parts.removed} items={removed} keyOf={keyOf} line={line} wide={wide} />
      </Stack>
    </section>
  );
}

interface OneWayProps<T> {
  wide: boolean; // each needs a line of its own
  sign: string;
  word: string;
  look: string | undefined;
  items: T[];
  keyOf: (item: T) => string;
  line: (item: T) => React.ReactNode;
}

function OneWay<T>({ sign, word, look, items, keyOf, line, wide }: OneWayProps<T>) {
  if (items.length === 0) return null;
  return (
    <div>
      <Text size="sm" fw={600} className={look}>
        {sign} {word}: {items.length}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: wide ? 1 : 2, lg: wide ? 1 : 3 }} spacing="md" verticalSpacing={4} mt={4}>
        {items.slice(0, SHOWN).map((item) => (
          <div key={keyOf(item)}>{line(item)}</div>
        ))}
      </SimpleGrid>
      {items.length > SHOWN && (
        <Text size="sm" c="dimmed">
          and {plural(items.length - SHOWN, "other")}
        </Text>
      )}
    </div>
  );
}
