import type { Run } from "@/api/schema";
import { paceOf } from "@/parts/streaming";
import { When } from "@/parts/When";
import { amount, plural } from "@/parts/words";
import { Facts } from "@/views/details/Facts";
import { Section } from "@/views/details/Section";

/** How a stream is doing, if it says so. */
export function PaceFacts({ run }: { run: Run }) {
  const pace = paceOf(run);
  const told = [pace.inRate, pace.outRate, pace.capacity, pace.behind, pace.watermark, pace.checkpoints];
  if (told.every((each) => each === undefined)) return null;
  const rate = (value: number | undefined) => value !== undefined && `${amount(value)} rows/s`;
  return (
    <Section title="Stream">
      <Facts
        facts={[
          ["Reads", rate(pace.inRate)],
          ["Writes", rate(pace.outRate)],
          ["Capacity", rate(pace.capacity)],
          ["Lag", pace.behind !== undefined && `${amount(pace.behind)} records`],
          ["Watermark", pace.watermark !== undefined && <When at={pace.watermark} />],
          ["State", pace.stateRows !== undefined && `${amount(pace.stateRows)} rows`],
          ["Late rows", pace.lateRows !== undefined && `${amount(pace.lateRows)} dropped`],
          [
            "Checkpoints",
            pace.checkpoints && `${pace.checkpoints.completed} completed, ${pace.checkpoints.failed} failed`,
          ],
          ["Restored", pace.restored > 0 && `${plural(pace.restored, "time")} from a checkpoint`],
        ]}
      />
    </Section>
  );
}
