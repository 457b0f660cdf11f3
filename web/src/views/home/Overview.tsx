import { SimpleGrid, Stack } from "@mantine/core";
import { IconClockExclamation, IconMoodSmile, IconPlayerPause } from "@tabler/icons-react";
import { useJobs } from "@/api/hooks";
import { duration, plural } from "@/parts/format";
import { lateJobs } from "@/parts/late";
import { useNow } from "@/parts/useNow";
import { EventRate } from "@/views/home/EventRate";
import { JobPanel } from "@/views/home/JobPanel";
import type { Rate } from "@/views/home/rate";
import { Streams } from "@/views/home/Streams";
import { Tile } from "@/views/home/Tile";

const LISTED = 100;
const LOOKED_AT = 300; // for lateness: the last active jobs
const QUIET_MS = 5 * 60_000; // as the server: a stream without a habit is suspicious after five minutes

/** Running, failed, late, streams, event rate: all on one screen. */
export function Overview({ rate }: { rate: Rate }) {
  const now = useNow();
  const running = useJobs(["RUNNING"], LISTED);
  const failed = useJobs(["FAILED", "ABORTED"], LISTED);
  const done = useJobs(["COMPLETED"], LOOKED_AT);
  const late = lateJobs(done.data?.jobs ?? [], now);
  const lateBy = new Map(late.map(({ job, dueAt, everyMs }) => [job, { dueAt, everyMs }]));
  const quiet = (job: { type: string; latestRun: { updatedAt: string | null } | null }) => {
    const silent = now - Date.parse(job.latestRun?.updatedAt ?? "");
    return job.type === "STREAM" && silent > QUIET_MS ? `no event for ${duration(silent)}` : undefined;
  };
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Tile name="Running" value={running.data?.totalCount} state="RUNNING" href="#running" />
        <Tile name="Failed or aborted" value={failed.data?.totalCount} state="FAILED" href="#failed" />
        <Tile name="Late" value={done.data && late.length} state="LATE" href="#late" />
        <EventRate rate={rate} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="sm">
        <JobPanel
          id="running"
          title="Running now"
          query={running}
          note={quiet}
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
          why
          empty={{
            Icon: IconMoodSmile,
            title: "Nothing failed",
            text: "No job's last run failed.",
          }}
        />
        <JobPanel
          id="late"
          title="Late"
          query={done}
          only={(job) => lateBy.has(job)}
          note={(job) => {
            const found = lateBy.get(job);
            if (found === undefined) return undefined;
            return `due ${duration(now - found.dueAt)} ago, usually every ${duration(found.everyMs)}`;
          }}
          why
          empty={{
            Icon: IconClockExclamation,
            title: "Nothing is late",
            text: `Among the last ${plural(done.data?.jobs.length ?? 0, "job")}. Lateness is judged after five runs.`,
          }}
        />
      </SimpleGrid>
      <Streams />
    </Stack>
  );
}
