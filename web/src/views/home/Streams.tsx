import { Table, Text, Title } from "@mantine/core";
import { IconWaveSine } from "@tabler/icons-react";
import { useJobs, useRuns } from "@/api/hooks";
import type { Job } from "@/api/schema";
import { Empty } from "@/parts/Empty";
import { amount } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";
import parts from "@/parts/parts.module.css";
import { QueryResult } from "@/parts/QueryResult";
import { StateBadge } from "@/parts/StateBadge";
import { restarts, streamMetrics } from "@/parts/streamMetrics";
import { TimeAgo } from "@/parts/TimeAgo";
import { openDetails } from "@/views/details/open";

const LOOKED_AT = 200;
const SHOWN = 25; // each fetches its last runs
const RUNS = 10;

/** Jobs that never end by themselves: state, rates, watermark, restarts. */
export function Streams() {
  const query = useJobs(["RUNNING", "FAILED", "ABORTED", "COMPLETED"], LOOKED_AT);
  return (
    <section className={parts.tile} aria-labelledby="streams-title">
      <Title order={2} size="h5" id="streams-title" mb={4}>
        Streams
      </Title>
      <QueryResult query={query}>
        {({ jobs }) => {
          const streams = jobs.filter((job) => job.type === "STREAM").sort(runningFirst);
          if (streams.length === 0) {
            return (
              <Empty Icon={IconWaveSine} title="No streams yet">
                A job is a stream when its <code>jobType</code> facet says <code>STREAMING</code>, as Flink and Spark
                report.
              </Empty>
            );
          }
          return (
            <Table.ScrollContainer minWidth={820} tabIndex={0} aria-labelledby="streams-title" type="native">
              <Table className={parts.table} verticalSpacing={6}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Job</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th>Last event</Table.Th>
                    <Table.Th ta="right">In, rows/s</Table.Th>
                    <Table.Th ta="right">Out, rows/s</Table.Th>
                    <Table.Th ta="right">Lag (records)</Table.Th>
                    <Table.Th>Watermark</Table.Th>
                    <Table.Th>Checkpoints</Table.Th>
                    <Table.Th ta="right">Restarts, last 24 h</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {streams.slice(0, SHOWN).map((job) => (
                    <Stream key={`${job.namespace} ${job.name}`} job={job} />
                  ))}
                </Table.Tbody>
              </Table>
              {streams.length > SHOWN && (
                <Text size="xs" c="dimmed">
                  {SHOWN} of {streams.length} shown
                </Text>
              )}
            </Table.ScrollContainer>
          );
        }}
      </QueryResult>
    </section>
  );
}

function Stream({ job }: { job: Job }) {
  const runs = useRuns(job.namespace, job.name, RUNS).data?.runs ?? [];
  const latest = runs[0];
  const metrics = latest === undefined ? undefined : streamMetrics(latest);
  const checkpoints = metrics?.checkpoints;
  const restartCount = restarts(runs);
  const nodeId = `job:${job.namespace}:${job.name}`;
  return (
    <Table.Tr>
      <Table.Td maw={260}>
        <NodeName nodeId={nodeId} name={job.name} namespace={job.namespace} onClick={(id) => openDetails(id)} />
      </Table.Td>
      <Table.Td>
        <StateBadge state={job.latestRun?.state} />
      </Table.Td>
      <Table.Td>
        <TimeAgo at={job.latestRun?.updatedAt} />
      </Table.Td>
      <Table.Td ta="right">{orDash(metrics?.inRate)}</Table.Td>
      <Table.Td ta="right">{orDash(metrics?.outRate)}</Table.Td>
      <Table.Td ta="right">{orDash(metrics?.lag)}</Table.Td>
      <Table.Td>
        <TimeAgo at={metrics?.watermark} />
      </Table.Td>
      <Table.Td>
        {checkpoints === undefined
          ? "–"
          : `${checkpoints.completed}${checkpoints.failed > 0 ? `, ${checkpoints.failed} failed` : ""}`}
      </Table.Td>
      <Table.Td ta="right" fw={restartCount > 0 ? 650 : undefined}>
        {restartCount}
      </Table.Td>
    </Table.Tr>
  );
}

function orDash(value: number | undefined): string {
  return value === undefined ? "–" : amount(value);
}

function runningFirst(a: Job, b: Job): number {
  return Number(b.latestRun?.state === "RUNNING") - Number(a.latestRun?.state === "RUNNING");
}
