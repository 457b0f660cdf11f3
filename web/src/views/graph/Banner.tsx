import { Anchor, Paper } from "@mantine/core";
import { MOST_CHANGES } from "@/api/queries";
import type { Trace } from "@/graph/columns";
import type { Visible } from "@/graph/visible";
import { moment, plural } from "@/parts/format";
import { type GraphState, MOST_DEPTH } from "@/state/graphState";
import type { Change } from "@/state/useGraphState";
import classes from "@/views/graph/Panels.module.css";
import type { KnownLineage } from "@/views/graph/useLineage";

interface Props {
  state: GraphState;
  change: Change;
  trace: Trace | null;
  known: KnownLineage;
  visible: Visible;
  pathStart: string | null;
  onCancelPath: () => void;
}

/** What the picture is of, where that is not plain to see; and the way out of it. */
export function Banner({ state, change, trace, known, visible, pathStart, onCancelPath }: Props) {
  const parts: { words: string; leave: string; onLeave: () => void; more?: { words: string; onMore: () => void } }[] =
    [];
  if (pathStart !== null) {
    parts.push({ words: "Click the card at the other end of the path.", leave: "Cancel", onLeave: onCancelPath });
  }
  if (state.pathFrom !== null && state.pathTo !== null) {
    const label = (id: string) => known.lineage.nodes.get(id)?.label ?? id;
    parts.push({
      words: `All paths between ${label(state.pathFrom)} and ${label(state.pathTo)}`,
      leave: "Close path",
      onLeave: () => change({ pathFrom: null, pathTo: null, node: state.pathFrom, view: null }),
    });
  }
  if (state.column !== null && trace !== null) {
    const ends = new Set([...trace.columns.keys()].map((id) => known.columns.columns.get(id)?.dataset));
    const outside = [...ends].filter((id) => id !== undefined && !visible.nodes.has(id)).length;
    const field = known.columns.columns.get(state.column)?.field ?? state.column.split(":").at(-1);
    parts.push({
      words: `Lineage of ${field}: ${plural(trace.columns.size, "column")}${outside > 0 ? `, ${plural(outside, "dataset")} not shown` : ""}`,
      leave: "Clear",
      onLeave: () => change({ column: null }),
      ...(outside > 0 && state.node !== null
        ? { more: { words: "Show them", onMore: () => change({ up: MOST_DEPTH, down: MOST_DEPTH }) } }
        : {}),
    });
  }
  if (state.against !== null) {
    parts.push({
      words: `Changes from ${moment(state.against)} to ${state.at === null ? "now" : moment(state.at)}: added green, removed red, changed amber`,
      leave: "Stop comparing",
      onLeave: () => change({ against: null }),
    });
  } else if (state.at !== null) {
    parts.push({
      words: `As of ${moment(state.at)}`,
      leave: "Back to now",
      onLeave: () => change({ at: null }),
    });
  }
  if (known.isPart) {
    parts.push({
      words: `Showing only the first ${MOST_CHANGES.toLocaleString("en")} nodes and edges of that moment. Focus on one to see everything around it.`,
      leave: "Back to now",
      onLeave: () => change({ at: null, against: null }),
    });
  }
  if (state.namespaces.size > 0) {
    parts.push({
      words: `Only ${[...state.namespaces].map((name) => name || "no namespace").join(", ")}`,
      leave: "Show all",
      onLeave: () => change({ namespaces: new Set(), view: null }),
    });
  }
  if (parts.length === 0) return null;
  return (
    <Paper className={classes.banner} shadow="xs" withBorder role="status">
      <div>
        {parts.map((part) => (
          <div key={part.words}>
            {part.words}{" "}
            {part.more !== undefined && (
              <>
                <Anchor component="button" size="sm" onClick={part.more.onMore}>
                  {part.more.words}
                </Anchor>{" "}
              </>
            )}
            <Anchor component="button" size="sm" onClick={part.onLeave}>
              {part.leave}
            </Anchor>
          </div>
        ))}
      </div>
    </Paper>
  );
}
