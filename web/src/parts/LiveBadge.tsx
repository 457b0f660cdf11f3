import { Badge } from "@mantine/core";
import type { LiveState } from "@/api/live";

/** Whether what one sees is the present. */
export function LiveBadge({ state, paused = false }: { state: LiveState; paused?: boolean }) {
  const said = paused ? "Paused" : { open: "Live", connecting: "Connecting…", away: "Disconnected" }[state];
  const colour = paused || state === "connecting" ? "orange" : state === "open" ? "teal" : "red";
  return (
    <Badge variant="dot" color={colour} tt="none" role="status">
      {said}
    </Badge>
  );
}
