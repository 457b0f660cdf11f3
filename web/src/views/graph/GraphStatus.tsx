import { Center, Loader } from "@mantine/core";
import { ApiError } from "@/api/client";
import type { Visible } from "@/graph/visible";
import { AlertBox } from "@/parts/AlertBox";
import type { GraphState } from "@/state/graphState";
import type { Change } from "@/state/useGraphState";
import { NoEvents, NoPath, NothingShown, TooLarge } from "@/views/graph/EmptyStates";
import type { KnownLineage } from "@/views/graph/useLineage";

interface Props {
  known: KnownLineage;
  visible: Visible;
  state: GraphState;
  change: Change;
}

/** What is there instead of a graph, where there is none. */
export function GraphStatus({ known, visible, state, change }: Props) {
  if (known.error !== null && known.lineage.nodes.size === 0) {
    const isGone = known.error instanceof ApiError && known.error.code === 404;
    return (
      <Center pos="absolute" inset={0} style={{ zIndex: 3 }}>
        <AlertBox
          title={isGone ? "No such job or dataset" : "The graph could not be loaded"}
          advice={known.error.message}
          retry={isGone ? () => change({ node: null, pathFrom: null, pathTo: null }) : known.retry}
          retryLabel={isGone ? "Show everything" : "Try again"}
        />
      </Center>
    );
  }
  if (known.isLoading && known.lineage.nodes.size === 0) {
    return (
      <Center pos="absolute" inset={0}>
        <Loader aria-label="Loading the graph" />
      </Center>
    );
  }
  if (visible.isTooLarge)
    return <TooLarge what="There are more than 10,000 nodes." change={change} hasFocus={state.node !== null} />;
  if (known.cut !== null) {
    return <TooLarge what={`There are ${known.cut.all.toLocaleString("en")} jobs.`} change={change} hasFocus={false} />;
  }
  if (known.lineage.nodes.size === 0) {
    if (state.pathFrom !== null) return <NoPath change={change} />;
    if (state.node === null && state.namespaces.size === 0 && state.at === null) return <NoEvents />;
    return <NothingShown change={change} />;
  }
  return visible.nodes.size === 0 ? <NothingShown change={change} /> : null;
}
