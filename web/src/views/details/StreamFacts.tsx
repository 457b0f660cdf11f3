import type { Run } from "@/api/schema";
import { amount, plural } from "@/parts/format";
import { streamMetrics } from "@/parts/streamMetrics";
import { TimeAgo } from "@/parts/TimeAgo";
import { PropertyList } from "@/views/details/PropertyList";
import { Section } from "@/views/details/Section";

/** How a stream is doing, if it says so. */
export function StreamFacts({ run }: { run: Run }) {
  const metrics = streamMetrics(run);
  const reported = [
    metrics.inRate,
    metrics.outRate,
    metrics.capacity,
    metrics.lag,
    metrics.watermark,
    metrics.checkpoints,
  ];
  if (reported.every((each) => each === undefined)) return null;
  const rate = (value: number | undefined) => value !== undefined && `${amount(value)} rows/s`;
  return (
    <Section title="Stream">
      <PropertyList
        properties={[
          ["Reads", rate(metrics.inRate)],
          ["Writes", rate(metrics.outRate)],
          ["Capacity", rate(metrics.capacity)],
          ["Lag", metrics.lag !== undefined && `${amount(metrics.lag)} records`],
          ["Watermark", metrics.watermark !== undefined && <TimeAgo at={metrics.watermark} />],
          ["State size", metrics.stateRows !== undefined && `${amount(metrics.stateRows)} rows`],
          ["Late rows", metrics.lateRows !== undefined && `${amount(metrics.lateRows)} dropped`],
          [
            "Checkpoints",
            metrics.checkpoints && `${metrics.checkpoints.completed} completed, ${metrics.checkpoints.failed} failed`,
          ],
          ["Restored", metrics.restored > 0 && `${plural(metrics.restored, "time")} from a checkpoint`],
        ]}
      />
    </Section>
  );
}
