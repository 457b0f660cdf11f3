import { Button, Group, MultiSelect, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";
import { useRuns } from "@/api/hooks";
import type { Run } from "@/api/schema";
import { Empty } from "@/parts/Empty";
import { duration, plural } from "@/parts/format";
import { QueryResult } from "@/parts/QueryResult";
import { StateBadge } from "@/parts/StateBadge";
import { TimeAgo } from "@/parts/TimeAgo";
import { setParams, useParam } from "@/parts/useParam";
import { stateName } from "@/theme/states";
import classes from "@/views/details/details.module.css";
import { RunBars } from "@/views/details/RunBars";
import { Timeline } from "@/views/details/Timeline";

const STATES = ["RUNNING", "COMPLETED", "FAILED", "ABORTED", "NEW"].map((value) => ({
  value,
  label: stateName(value),
}));
const PAGE = 50;
const MOST = 1000; // what the server gives at once

/** The runs of a job: when they were, how long they took, how they ended. */
export function RunsTab({ namespace, name }: { namespace: string; name: string }) {
  const [limit, setLimit] = useState(PAGE);
  const [states, setStates] = useState<string[]>([]);
  const [chart, setChart] = useState("duration");
  const [picked] = useParam("run");
  const query = useRuns(namespace, name, limit);
  const pick = (run: string) => setParams({ run, tab: "run" });
  return (
    <QueryResult query={query} lines={8}>
      {({ runs, totalCount }) => {
        if (runs.length === 0) return <NoRuns />;
        const shown = states.length === 0 ? runs : runs.filter((run) => states.includes(run.state));
        return (
          <Stack gap="sm">
            <Group justify="space-between" gap="xs">
              <SegmentedControl
                size="xs"
                aria-label="Chart"
                value={chart}
                onChange={setChart}
                data={[
                  { value: "duration", label: "Duration" },
                  { value: "timeline", label: "Timeline" },
                ]}
              />
              <MultiSelect
                size="xs"
                w={260}
                aria-label="Filter by state"
                placeholder={states.length === 0 ? "All states" : undefined}
                data={STATES}
                value={states}
                onChange={setStates}
                clearable
              />
            </Group>
            {chart === "duration" ? (
              <RunBars runs={shown} picked={picked} onPick={pick} />
            ) : (
              <Timeline runs={shown} onPick={pick} />
            )}
            <RunList runs={shown} picked={picked} onPick={pick} />
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                {shown.length} of {plural(totalCount, "run")}
              </Text>
              {runs.length < Math.min(totalCount, MOST) && (
                <Button size="compact-sm" variant="default" onClick={() => setLimit(Math.min(limit * 4, MOST))}>
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

function RunList({ runs, picked, onPick }: { runs: Run[]; picked: string | null; onPick: (id: string) => void }) {
  return (
    <ul className={classes.steps} aria-label="Runs">
      {runs.map((run) => (
        <li key={run.id}>
          <button
            type="button"
            className={classes.run}
            aria-current={run.id === picked ? "true" : undefined}
            onClick={() => onPick(run.id)}
          >
            <TimeAgo at={run.startedAt ?? run.createdAt} />
            <StateBadge state={run.state} />
            <span>{run.durationMs === null ? "in progress" : duration(run.durationMs)}</span>
            <Text component="span" size="xs" ff="monospace" c="dimmed" truncate title={run.id}>
              {run.id.slice(-8)}
            </Text>
          </button>
        </li>
      ))}
    </ul>
  );
}

function NoRuns() {
  return (
    <Empty Icon={IconPlayerPlay} title="No runs yet">
      Only events that describe this job have arrived. Runs appear with the first START event.
    </Empty>
  );
}
