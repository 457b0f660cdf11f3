import { Badge } from "@mantine/core";
import type { LiveState } from "@/api/live";
import { connection } from "@/theme/states";

/** Whether what one sees is the present. */
export function LiveBadge({ state, paused = false }: { state: LiveState; paused?: boolean }) {
  const { name, colour } = connection(state, paused);
  return (
    <Badge variant="dot" color={colour} tt="none" role="status">
      {name}
    </Badge>
  );
}
