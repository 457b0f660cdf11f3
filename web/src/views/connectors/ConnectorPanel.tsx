import { Anchor, CloseButton, Group, Stack, Table, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import type { ConnectorDetails } from "@/api/schema";
import { graphAddress } from "@/parts/addresses";
import { Copyable } from "@/parts/Copyable";
import { Fold } from "@/parts/Fold";
import { amount, cut } from "@/parts/format";
import parts from "@/parts/parts.module.css";
import { QueryResult } from "@/parts/QueryResult";
import { StateBadge } from "@/parts/StateBadge";
import { TimeAgo } from "@/parts/TimeAgo";
import { setParams } from "@/parts/useParam";
import { Actions, RestartTask } from "@/views/connectors/Actions";
import { type ConnectorId, useConnector } from "@/views/connectors/queries";
import { stateOf } from "@/views/connectors/summary";
import { openDetails } from "@/views/details/open";
import { PropertyList } from "@/views/details/PropertyList";
import { Section } from "@/views/details/Section";

interface Props extends ConnectorId {
  mayChange: boolean;
}

/** One connector: how it is, what it does, and what can be done about it. */
export function ConnectorPanel({ cluster, name, mayChange }: Props) {
  const query = useConnector({ cluster, name });
  return (
    <section className={parts.tile} aria-label={`Connector ${name}`}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Title order={2} size="h4" className={parts.free}>
          <bdi>{cut(name, 200)}</bdi>
        </Title>
        <CloseButton aria-label="Close" onClick={() => setParams({ cluster: null, connector: null })} />
      </Group>
      <QueryResult query={query} lines={6}>
        {(one) => (
          <Stack gap="xs">
            {mayChange && <Actions one={one} />}
            <Overview one={one} />
            <Tasks one={one} mayChange={mayChange} />
            <Flow one={one} />
            <Configuration one={one} />
            <Offsets one={one} />
          </Stack>
        )}
      </QueryResult>
    </section>
  );
}

function Overview({ one }: { one: ConnectorDetails }) {
  const { nodeId } = one;
  return (
    <>
      <PropertyList
        properties={[
          ["State", <StateBadge key="state" state={stateOf(one)} />],
          ["Kind", `${one.type} in ${one.cluster}`],
          ["Class", one.className],
          ["Worker", one.worker],
          ["Topics", one.topics.join(", ")],
          [
            "Lineage",
            nodeId === null ? (
              "Not in the graph. Is a watcher running?"
            ) : (
              <Group key="lineage" gap="md">
                <Anchor size="sm" component={Link} href={graphAddress(nodeId)}>
                  Graph
                </Anchor>
                <Anchor size="sm" component="button" type="button" onClick={() => openDetails(nodeId)}>
                  Job
                </Anchor>
              </Group>
            ),
          ],
        ]}
      />
      {one.trace !== null && <Copyable text={one.trace} label="the stack trace of the connector" />}
    </>
  );
}

function Tasks({ one, mayChange }: { one: ConnectorDetails; mayChange: boolean }) {
  if (one.tasks.length === 0) return null;
  return (
    <Section title="Tasks">
      <Stack gap={6}>
        {one.tasks.map((task) => (
          <div key={task.id}>
            <Group gap="sm">
              <Text size="sm">Task {task.id}</Text>
              <StateBadge state={task.state} />
              <Text size="sm" c="dimmed">
                {task.worker}
              </Text>
              {mayChange && <RestartTask cluster={one.cluster} name={one.name} task={task.id} />}
            </Group>
            {task.trace !== null && (
              <>
                <Text size="sm" className={`${parts.free} ${parts.removed}`}>
                  {cut(reason(task.trace), 400)}
                </Text>
                <Fold label="Stack trace">
                  <Copyable text={task.trace} label={`the stack trace of task ${task.id}`} />
                </Fold>
              </>
            )}
          </div>
        ))}
      </Stack>
    </Section>
  );
}

/** What caused it all stands last in a Java trace. */
function reason(trace: string): string {
  const lines = trace.split("\n");
  return (lines.findLast((line) => line.startsWith("Caused by: ")) ?? lines[0] ?? "").replace("Caused by: ", "");
}

function Flow({ one }: { one: ConnectorDetails }) {
  if (one.flow.length === 0) return null;
  return (
    <Section title="Throughput">
      <Table aria-label="Topics" withRowBorders={false}>
        <Table.Tbody>
          {one.flow.map((topic) => (
            <Table.Tr key={topic.topic}>
              <Table.Td className={parts.free}>{cut(topic.topic, 250)}</Table.Td>
              <Table.Td>{topic.messagesPerSecond !== null && `${amount(topic.messagesPerSecond)} records/s`}</Table.Td>
              <Table.Td>{topic.lag !== null && `lag ${amount(topic.lag)}`}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed">
        updated <TimeAgo at={one.flowAt} />
      </Text>
    </Section>
  );
}

function Configuration({ one }: { one: ConnectorDetails }) {
  const options = Object.entries(one.config).sort(([a], [b]) => a.localeCompare(b));
  return (
    <Section title="Configuration">
      <Table aria-label="Configuration" withRowBorders={false} verticalSpacing={3}>
        <Table.Tbody>
          {options.map(([option, value]) => (
            <Table.Tr key={option}>
              <Table.Td className={parts.free}>{option}</Table.Td>
              <Table.Td className={parts.free}>
                <Text size="sm" c={one.hidden.includes(option) ? "dimmed" : undefined} span>
                  {cut(value, 2000)}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

function Offsets({ one }: { one: ConnectorDetails }) {
  if (one.offsets.length === 0) return null;
  return (
    <Section title="Offsets">
      <Copyable label="the offsets" text={one.offsets.map((each) => JSON.stringify(each)).join("\n")} />
    </Section>
  );
}
