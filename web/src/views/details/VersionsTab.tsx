import { Button, Group, Stack, Text } from "@mantine/core";
import { IconPencilPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useVersions } from "@/api/hooks";
import type { Dataset, DatasetVersion } from "@/api/schema";
import { Empty } from "@/parts/Empty";
import { cut, plural } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";
import { QueryResult } from "@/parts/QueryResult";
import { StateBadge } from "@/parts/StateBadge";
import { TimeAgo } from "@/parts/TimeAgo";
import { setParams } from "@/parts/useParam";
import classes from "@/views/details/details.module.css";

const PAGE = 25;

/** The versions of a dataset: when it was written, and by which run. */
export function VersionsTab({ dataset, onNavigate }: { dataset: Dataset; onNavigate: (nodeId: string) => void }) {
  const [limit, setLimit] = useState(PAGE);
  const query = useVersions(dataset.namespace, dataset.name, limit);
  return (
    <QueryResult query={query} lines={8}>
      {({ versions, totalCount }) => {
        if (versions.length === 0) {
          return (
            <Empty Icon={IconPencilPlus} title="No writes reported yet">
              It is only read so far. Versions appear when a run lists it as an output.
            </Empty>
          );
        }
        return (
          <Stack gap="xs">
            <ul className={classes.steps}>
              {versions.map((version) => (
                <li key={version.currentVersion ?? version.version} className={classes.step}>
                  <Version version={version} onNavigate={onNavigate} />
                </li>
              ))}
            </ul>
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                {versions.length} of {plural(totalCount, "version")}
              </Text>
              {versions.length < totalCount && (
                <Button size="compact-sm" variant="default" onClick={() => setLimit(Math.min(1000, limit * 4))}>
                  Show more
                </Button>
              )}
            </Group>
          </Stack>
        );
      }}
    </QueryResult>
  );
}

function Version({ version, onNavigate }: { version: DatasetVersion; onNavigate: (nodeId: string) => void }) {
  const run = version.createdByRun;
  const job = run?.job;
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <Text size="sm" fw={550}>
          <TimeAgo at={version.createdAt} />
        </Text>
        {run !== null && <StateBadge state={run.state} />}
        <Text size="xs" c="dimmed" ff="monospace" truncate maw={260} title={cut(version.version, 200)}>
          {cut(version.version, 60)}
        </Text>
      </Group>
      {job != null && run !== null && (
        <NodeName
          nodeId={`job:${job.namespace}:${job.name}`}
          name={job.name}
          namespace={job.namespace}
          onClick={(nodeId) => {
            onNavigate(nodeId);
            setParams({ run: run.id, tab: "run" });
          }}
        />
      )}
    </Stack>
  );
}
