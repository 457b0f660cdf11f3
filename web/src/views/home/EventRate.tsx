import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { api, body } from "@/api/client";
import type { EventCounts } from "@/api/schema";
import { Sparkline, StackedBars } from "@/parts/charts";
import { amount, clock } from "@/parts/format";
import parts from "@/parts/parts.module.css";
import { useNow } from "@/parts/useNow";
import { stateColour } from "@/theme/states";
import classes from "@/views/home/home.module.css";
import { type Rate, SECONDS, shifted } from "@/views/home/rate";

const PARTS = [
  { key: "complete", colour: stateColour("COMPLETED") },
  { key: "start", colour: stateColour("RUNNING") },
  { key: "abort", colour: stateColour("ABORTED") },
  { key: "fail", colour: stateColour("FAILED") },
] as const;

/** Events of the last day by the hour; of the last minute by the second while some come in. */
export function EventRate({ rate }: { rate: Rate }) {
  const now = useNow();
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const day = useQuery({
    queryKey: ["events a day", timezone],
    refetchInterval: 60_000,
    queryFn: ({ signal }) =>
      body(api.GET("/api/v1/stats/lineage-events", { params: { query: { period: "DAY", timezone } }, signal })),
  });
  const hours = day.data ?? [];
  const total = hours.reduce((sum, hour) => sum + sumOf(hour), 0);
  const counts = shifted(rate, Math.floor(now / 1000));
  const perSecond = counts.reduce((sum, each) => sum + each, 0) / SECONDS;
  return (
    <Link className={`${parts.tile} ${classes.tile}`} href="/events">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" c="dimmed">
          {perSecond > 0 ? "Events, last minute" : "Run starts and ends, last 24 h"}
        </Text>
        <Text size="sm" fw={600}>
          {perSecond > 0 ? `${amount(perSecond)} events/s` : amount(total)}
        </Text>
      </Group>
      {perSecond > 0 ? (
        <Sparkline values={counts} label="Events per second, last minute" />
      ) : (
        <StackedBars
          height={40}
          label={`${total} run starts and ends in the last 24 hours`}
          columns={hours.map((hour) => ({
            key: hour.startInterval,
            title: titleOf(hour),
            parts: PARTS.map(({ key, colour }) => ({ value: hour[key], colour })),
          }))}
        />
      )}
    </Link>
  );
}

function sumOf(hour: EventCounts): number {
  return hour.start + hour.complete + hour.abort + hour.fail;
}

function titleOf(hour: EventCounts): string {
  const parts = PARTS.filter(({ key }) => hour[key] > 0).map(({ key }) => `${hour[key]} ${key}`);
  return `${clock(hour.startInterval).slice(0, 5)}: ${parts.join(", ") || "nothing"}`;
}
