import { Box, Switch } from "@mantine/core";
import type { ReactElement } from "react";
import { OpenedMenu } from "@/parts/OpenedMenu";
import type { GraphState } from "@/state/graphState";
import type { Change } from "@/state/useGraphState";

interface Props {
  button: ReactElement;
  state: GraphState;
  change: Change;
  parents: readonly string[]; // groups that can be closed
}

/** How the graph is shown: what one changes now and then. */
export default function ViewMenu({ button, state, change, parents }: Props) {
  const areAllCollapsed = parents.length > 0 && parents.every((id) => state.collapsed.has(id));
  return (
    <OpenedMenu button={button} position="bottom-start" closeOnItemClick={false} width={250}>
      <Box p="xs">
        <Switch
          label="One lane per namespace"
          checked={state.hasLanes}
          onChange={() => change({ hasLanes: !state.hasLanes, view: null })}
        />
        <Switch
          mt="sm"
          label="Rates, lag and freshness"
          checked={state.hasLabels}
          onChange={() => change({ hasLabels: !state.hasLabels })}
        />
        <Switch
          mt="sm"
          label="Collapse job groups"
          disabled={parents.length === 0}
          checked={areAllCollapsed}
          onChange={() => change({ collapsed: new Set(areAllCollapsed ? [] : parents) })}
        />
      </Box>
    </OpenedMenu>
  );
}
