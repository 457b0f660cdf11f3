import { Table, Text, Title } from "@mantine/core";
import { IconWaveSine } from "@tabler/icons-react";
import type { Job } from "@/api/schema";
import { Asked } from "@/parts/Asked";
import { useJobs, useRuns } from "@/parts/asks";
import { Empty } from "@/parts/Empty";
import { NodeName } from "@/parts/NodeName";
import parts from "@/parts/parts.module.css";
import { StateBadge } from "@/parts/StateBadge";
import { paceOf, restarts } from "@/parts/streaming";
import { When } from "@/parts/When";
import { amount } from "@/parts/words";
import { openDetails } from "@/views/details/open";

const LOOKED_AT = 200;
const SHOWN = 25; // each asks for its last runs
const RUNS = 10;

/** Jobs that never end by themselves: state, rates, watermark, restarts. */
export function Streams() {
  const asked = useJobs(["RUNNING", "FAILED", "ABORTED", "COMPLETED"], LOOKED_AT);
  return (
    <section className={parts.tile} aria-labelledby="streams-title">
      <Title order={2} size="h5" id="streams-title" mb={4}>
        Streams
      </Title>
      <Asked asked={asked}>
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
      </Asked>
    </section>
  );
}

function Stream({ job }: { job: Job }) {
  const runs = useRuns(job.namespace, job.name, RUNS).data?.runs ?? [];
  const latest = runs[0];
  const pace = latest === undefined ? undefined : paceOf(latest);
  const kept = pace?.checkpoints;
  const began = restarts(runs);
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
        <When at={job.latestRun?.updatedAt} />
      </Table.Td>
      <Table.Td ta="right">{told(pace?.inRate)}</Table.Td>
      <Table.Td ta="right">{told(pace?.outRate)}</Table.Td>
      <Table.Td ta="right">{told(pace?.behind)}</Table.Td>
      <Table.Td>
        <When at={pace?.watermark} />
      </Table.Td>
      <Table.Td>
        {kept === undefined ? "–" : `${kept.completed}${kept.failed > 0 ? `, ${kept.failed} failed` : ""}`}
      </Table.Td>
      <Table.Td ta="right" fw={began > 0 ? 650 : undefined}>
        {began}
      </Table.Td>
    </Table.Tr>
  );
}

function told(value: number | undefined): string {
  return value === undefined ? "–" : amount(value);
}

function runningFirst(a: Job, b: Job): number {
  return Number(b.latestRun?.state === "RUNNING") - Number(a.latestRun?.state === "RUNNING");
}
