import { Group, Stack, Text } from "@mantine/core";
import type { LiveChange } from "@/api/schema";
import { cut } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";
import parts from "@/parts/parts.module.css";
import { StateBadge } from "@/parts/StateBadge";
import { openDetails } from "@/views/details/open";
import { changeSummary } from "@/views/events/changeSummary";

const SHOWN = 20;

/** What the live stream said of an event when it arrived. */
export function ChangeList({ change }: { change: LiveChange }) {
  const { run } = change;
  if (changeSummary(change).length === 0 && change.changed.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing: everything in it was already known.
      </Text>
    );
  }
  return (
    <Stack gap={6}>
      {run !== null && run.before !== run.state && (
        <Text size="sm">
          {run.before === null ? (
            "New run: "
          ) : (
            <>
              Run state: <StateBadge state={run.before} /> →{" "}
            </>
          )}
          <StateBadge state={run.state} />
        </Text>
      )}
      {change.addedNodes.slice(0, SHOWN).map((node) => (
        <Group key={node.nodeId} gap="xs" wrap="nowrap">
          <Text size="sm" className={parts.added}>
            + new
          </Text>
          <NodeName
            nodeId={node.nodeId}
            name={node.name}
            namespace={node.namespace}
            onClick={(id) => openDetails(id)}
          />
        </Group>
      ))}
      <Lines word="+ edge" look={parts.added} items={change.addedEdges.map(arrow)} />
      <Lines word="− removed" look={parts.removed} items={change.removedNodes} />
      <Lines word="− edge" look={parts.removed} items={change.removedEdges.map(arrow)} />
      <Lines word="~ schema of" look={parts.retyped} items={change.schemas} />
      <Lines word="~ column lineage of" look={parts.retyped} items={change.columns} />
      <Lines word="~ facets, names or tags of" look={parts.retyped} items={change.changed} />
    </Stack>
  );
}

function arrow(edge: { origin: string; destination: string }): string {
  return `${edge.origin} → ${edge.destination}`;
}

function Lines({ word, look, items }: { word: string; look: string | undefined; items: string[] }) {
  return (
    <>
      {items.slice(0, SHOWN).map((item) => (
        <Text key={item} size="sm" className={parts.free}>
          <span className={look}>{word}</span> <bdi>{cut(item, 400)}</bdi>
        </Text>
      ))}
      {items.length > SHOWN && (
        <Text size="sm" c="dimmed">
          and {items.length - SHOWN} more
        </Text>
      )}
    </>
  );
}
