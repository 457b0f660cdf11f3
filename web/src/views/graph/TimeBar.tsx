import { Paper } from "@mantine/core";
import type { Lineage } from "@/graph/model";
import type { GraphState } from "@/state/graphState";
import type { Change } from "@/state/useGraphState";

interface Props {
  state: GraphState;
  change: Change;
  lineage: Lineage;
}

export function TimeBar(_: Props) {
  return <Paper />;
}
