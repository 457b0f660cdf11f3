import { Paper } from "@mantine/core";
import { useReactFlow } from "@xyflow/react";
import { middle } from "@/graph/route";
import type { Scene, Wire } from "@/graph/scene";
import { liveJobs } from "@/state/liveJobs";
import { jobLabel } from "@/state/throughput";
import classes from "@/views/graph/Panels.module.css";

/** What the wire under the pointer is. */
export function WireTip({ wire, scene }: { wire: Wire; scene: Scene }) {
  const flow = useReactFlow();
  const [x, y] = middle(wire.curve);
  const view = flow.getViewport();
  const label = (id: string) => scene.cards.get(id)?.node.label ?? id;
  const rate = jobLabel(liveJobs.get(wire.from.startsWith("job:") ? wire.from : wire.to)?.throughput ?? null);
  return (
    <Paper
      className={classes.tip}
      shadow="md"
      withBorder
      style={{ left: x * view.zoom + view.x + 10, top: y * view.zoom + view.y + 12 }}
    >
      {label(wire.from)}
      {wire.link !== null && `.${wire.link.from.split(":").at(-1)}`} → {label(wire.to)}
      {wire.link !== null && `.${wire.link.to.split(":").at(-1)}`}
      {wire.link !== null && (
        <div>
          {wire.link.isDirect ? "Direct" : "Indirect"}
          {wire.link.how !== "" && `: ${wire.link.how}`}
          {wire.link.isMasked && ", masked"}
        </div>
      )}
      {wire.link === null && rate !== null && <div>{rate}</div>}
    </Paper>
  );
}
