import { Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconEngine } from "@tabler/icons-react";
import { useJobs } from "@/api/hooks";
import { Empty } from "@/parts/Empty";
import { plural } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";
import parts from "@/parts/parts.module.css";
import { QueryResult } from "@/parts/QueryResult";
import { StateBadge } from "@/parts/StateBadge";
import { openDetails } from "@/views/details/open";
import { byEngine, type EngineJobs } from "@/views/home/byEngine";

const LOOKED_AT = 300;
const SHOWN = 8;

/** Jobs by the engine that runs them. Views of single engines have their place here, above the cards. */
export function Engines() {
  const query = useJobs(["RUNNING", "FAILED", "ABORTED", "COMPLETED"], LOOKED_AT);
  return (
    <QueryResult query={query} lines={8}>
      {({ jobs, totalCount }) => {
        const engines = byEngine(jobs);
        if (engines.length === 0) {
          return (
            <Empty Icon={IconEngine} title="No engine reported yet">
              Jobs name their engine in the <code>jobType</code> facet.
            </Empty>
          );
        }
        return (
          <Stack gap="sm">
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
              {engines.map((engine) => (
                <EngineCard key={engine.name} engine={engine} />
              ))}
            </SimpleGrid>
            {totalCount > jobs.length && (
              <Text size="sm" c="dimmed">
                Based on the {jobs.length} most recent of {plural(totalCount, "job")}.
              </Text>
            )}
          </Stack>
        );
      }}
    </QueryResult>
  );
}

function EngineCard({ engine }: { engine: EngineJobs }) {
  return (
    <section className={parts.tile} aria-label={engine.name}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {engine.name}
        </Title>
        <Text size="sm" c="dimmed">
          {plural(engine.jobs.length, "job")}
        </Text>
      </Group>
      <Group gap={6} mb="sm">
        {engine.states.map(([state, count]) => (
          <Group key={state} gap={4}>
            <StateBadge state={state} />
            <Text size="sm">{count}</Text>
          </Group>
        ))}
      </Group>
      <Stack gap={6}>
        {engine.jobs.slice(0, SHOWN).map((job) => {
          const nodeId = `job:${job.namespace}:${job.name}`;
          return (
            <Group key={nodeId} gap="xs" justify="space-between" wrap="nowrap">
              <NodeName nodeId={nodeId} name={job.name} onClick={(id) => openDetails(id)} />
              <StateBadge state={job.latestRun?.state} />
            </Group>
          );
        })}
        {engine.jobs.length > SHOWN && (
          <Text size="xs" c="dimmed">
            and {engine.jobs.length - SHOWN} more
          </Text>
        )}
      </Stack>
    </section>
  );
}
