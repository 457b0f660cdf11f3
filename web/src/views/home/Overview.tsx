import { SimpleGrid, Stack } from "@mantine/core";
import { IconClockExclamation, IconMoodSmile, IconPlayerPause } from "@tabler/icons-react";
import { useJobs, useLate } from "@/api/hooks";
import { plural } from "@/parts/format";
import { useNow } from "@/parts/useNow";
import { EventRate } from "@/views/home/EventRate";
import { JobPanel } from "@/views/home/JobPanel";
import { latePanelJob, panelJob } from "@/views/home/panelJobs";
import type { Rate } from "@/views/home/rate";
import { Streams } from "@/views/home/Streams";
import { Tile } from "@/views/home/Tile";

const LISTED = 100;

/** Running, failed, late, streams, event rate: all on one screen. */
export function Overview({ rate }: { rate: Rate }) {
  const now = useNow();
  const running = useJobs(["RUNNING"], LISTED);
  const failed = useJobs(["FAILED", "ABORTED"], LISTED);
  const late = useLate();
  const stuck = new Map(late.data?.stuck.map((job) => [job.nodeId, job]));
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Tile name="Running" value={running.data?.totalCount} state="RUNNING" href="#running" />
        <Tile name="Failed or aborted" value={failed.data?.totalCount} state="FAILED" href="#failed" />
        <Tile name="Late" value={late.data?.late.length} state="LATE" href="#late" />
        <EventRate rate={rate} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="sm">
        <JobPanel
          id="running"
          title="Running now"
          query={running}
          list={({ jobs, totalCount }) => ({ jobs: jobs.map((job) => panelJob(job, stuck, now)), totalCount })}
          empty={{
            Icon: IconPlayerPause,
            title: "Nothing is running",
            text: "Runs appear here with their START event.",
          }}
        />
        <JobPanel
          id="failed"
          title="Recent failures"
          query={failed}
          list={({ jobs, totalCount }) => ({ jobs: jobs.map((job) => panelJob(job)), totalCount })}
          hasRootCause
          empty={{ Icon: IconMoodSmile, title: "Nothing failed", text: "No job's last run failed." }}
        />
        <JobPanel
          id="late"
          title="Late"
          query={late}
          list={({ late: jobs }) => ({ jobs: jobs.map((job) => latePanelJob(job, now)), totalCount: jobs.length })}
          hasRootCause
          empty={{
            Icon: IconClockExclamation,
            title: "Nothing is late",
            text: `Among the last ${plural(late.data?.examined ?? 0, "job")}. Lateness is judged after five runs.`,
          }}
        />
      </SimpleGrid>
      <Streams />
    </Stack>
  );
}
