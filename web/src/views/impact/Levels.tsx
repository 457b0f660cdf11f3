import { Table, Text, Title } from "@mantine/core";
import type { Impacted, ImpactLevel } from "@/api/schema";
import { cut, duration, plural } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";
import { More } from "@/parts/PagedRows";
import { Pill } from "@/parts/Pill";
import parts from "@/parts/parts.module.css";
import { StateBadge } from "@/parts/StateBadge";
import { TimeAgo } from "@/parts/TimeAgo";
import { stateColour, usageColour } from "@/theme/states";
import { openDetails } from "@/views/details/open";

const USES: Record<string, { word: string; colour: string; title: string }> = {
  DIRECT: { word: "Direct", colour: usageColour("direct"), title: "Values are copied or computed" },
  INDIRECT: { word: "Indirect", colour: usageColour("indirect"), title: "Only used to filter, join, group or sort" },
  UNKNOWN: { word: "Unknown", colour: stateColour("UNKNOWN"), title: "Columns not reported" },
};

/** What is hit, one table for each distance. */
export function Levels({ levels }: { levels: ImpactLevel[] }) {
  if (levels.length === 0) return <Text c="dimmed">No matches.</Text>;
  return levels.map((level) => (
    <section key={level.distance} className={parts.tile} aria-labelledby={`level-${level.distance}`}>
      <Title order={2} size="h5" id={`level-${level.distance}`}>
        {distance(level.distance)}{" "}
        <Text component="span" size="sm" c="dimmed" fw={400}>
          {plural(level.nodes.length, "node")}
        </Text>
      </Title>
      <Table.ScrollContainer minWidth={700} type="native" tabIndex={0} aria-labelledby={`level-${level.distance}`}>
        <Table className={parts.table} layout="fixed" verticalSpacing={5}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th w={100}>Use</Table.Th>
              <Table.Th w={190}>Last run</Table.Th>
              <Table.Th w={110}>Runs every</Table.Th>
              <Table.Th w={180}>Owners</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <More items={level.nodes} columns={5}>
              {(node) => <Row key={node.nodeId} node={node} />}
            </More>
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  ));
}

function Row({ node }: { node: Impacted }) {
  const use = USES[node.use] ?? { word: node.use, colour: stateColour("UNKNOWN"), title: node.use };
  const isColumn = node.field !== null;
  return (
    <Table.Tr>
      <Table.Td>
        <NodeName
          nodeId={node.nodeId}
          name={node.field ?? node.name}
          namespace={isColumn ? cut(node.name, 200) : node.namespace}
          onClick={(id) => openDetails(id)}
        />
      </Table.Td>
      <Table.Td>
        <Pill colour={use.colour} title={use.title}>
          {use.word}
        </Pill>
      </Table.Td>
      <Table.Td>
        {node.latestRun !== null && (
          <>
            <StateBadge state={node.latestRun.state} />{" "}
            <Text component="span" size="xs" c="dimmed">
              <TimeAgo at={node.latestRun.startedAt} />
            </Text>
          </>
        )}
      </Table.Td>
      <Table.Td>
        <Text size="sm">{node.everySeconds === null ? "–" : duration(node.everySeconds * 1000)}</Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm" truncate>
          {node.owners.join(", ") || "–"}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

function distance(count: number): string {
  return count === 0 ? "Written by it" : `${plural(count, "job")} away`;
}
