import { Box, useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconDownload } from "@tabler/icons-react";
import { ReactFlowProvider } from "@xyflow/react";
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from "react";
import { HitTest } from "@/graph/hitTest";
import { parentJobs } from "@/graph/model";
import { PALETTES } from "@/graph/palette";
import type { Wire } from "@/graph/scene";
import { LazyMenu } from "@/parts/LazyMenu";
import { HEADER_HEIGHT } from "@/shell/Shell";
import { readState } from "@/state/graphState";
import { useGraphState } from "@/state/useGraphState";
import { ActionsContext } from "@/views/graph/actions";
import { Banner } from "@/views/graph/Banner";
import { CardContext, type CardContextValue } from "@/views/graph/cardContext";
import { FindBox } from "@/views/graph/FindBox";
import { Foot } from "@/views/graph/Foot";
import { GraphStatus } from "@/views/graph/GraphStatus";
import { Stage } from "@/views/graph/Stage";
import { TIME_BAR } from "@/views/graph/sizes";
import { Toolbar } from "@/views/graph/Toolbar";
import { useCamera } from "@/views/graph/useCamera";
import { useCardActions } from "@/views/graph/useCardActions";
import { useDrawStyle, useMoving } from "@/views/graph/useDrawing";
import { useHighlight } from "@/views/graph/useHighlight";
import { useKeys } from "@/views/graph/useKeys";
import { useLineage } from "@/views/graph/useLineage";
import { useLive } from "@/views/graph/useLive";
import { useNamespaceColours } from "@/views/graph/useNamespaceColours";
import { useScene } from "@/views/graph/useScene";
import { WireTip } from "@/views/graph/WireTip";

// What is not there at first sight is loaded after it.
const DetailsDrawer = lazy(() => import("@/views/details/Drawer").then((file) => ({ default: file.DetailsDrawer })));
const Selection = lazy(() => import("@/views/graph/Selection"));
const TimeBar = lazy(() => import("@/views/graph/TimeBar"));

export default function GraphView() {
  return (
    <ReactFlowProvider>
      <GraphPage />
    </ReactFlowProvider>
  );
}

/** Puts the hooks together: from the address to lineage, from lineage to a scene, from a scene to what is drawn. */
function GraphPage() {
  const { state, change, moveTo } = useGraphState();
  const scheme = useComputedColorScheme("light");
  const palette = PALETTES[scheme];
  const [layouts, setLayouts] = useState(0); // how often everything was laid out anew
  const [isPaused, setIsPaused] = useState(false);
  const [hovered, setHovered] = useState<string | null>(null);
  const [wire, setWire] = useState<Wire | null>(null);
  const [pathStart, setPathStart] = useState<string | null>(null);
  const { ref: box, width, height } = useElementSize();
  const start = useRef(readState(window.location.search).view).current;

  const known = useLineage(state);
  const { scene, visible, trace, subject } = useScene(known, state, layouts);
  const hits = useMemo(() => new HitTest(scene), [scene]);
  const highlight = useHighlight(scene, trace, wire, hovered, state.selected);
  const colourOf = useNamespaceColours(scheme);

  const free = height - (state.hasTime ? TIME_BAR : 0);
  const { fit, flyTo } = useCamera({ scene, subject, focus: state.node, width, height: free, change });
  const isOn = !isPaused && state.at === null;
  const liveState = useLive({ isOn, lineage: known.lineage, visible, focus: state.node, flyTo });
  const style = useDrawStyle({ palette, highlight, colourOf, known, state });
  const moving = useMoving(scene, palette.states.RUNNING, isOn);

  const onPathEnd = useCallback(() => setPathStart(null), []);
  const actions = useCardActions({ state, change, pathStart, onPathEnd, onHover: setHovered });
  useKeys({
    scene,
    selected: state.selected,
    focus: state.node,
    fit,
    select: actions.select,
    details: actions.details,
  });
  const cardContext = useMemo<CardContextValue>(
    () => ({
      highlight,
      trace,
      selected: state.selected,
      focus: state.node,
      at: state.at,
      hasLabels: state.hasLabels,
      missing: visible.missing,
      cardMarks: known.cardMarks,
      colourOf,
      isOpen: (id) => state.hasColumns !== state.cards.has(id),
    }),
    [highlight, trace, state, visible.missing, known.cardMarks, colourOf],
  );
  const parents = useMemo(() => parentJobs(known.lineage), [known.lineage]);
  const selected = state.selected === null ? undefined : visible.nodes.get(state.selected);
  const focusOn = (id: string) =>
    change({ node: id, pathFrom: null, pathTo: null, opened: new Set(), closed: new Set(), selected: id, view: null });
  const only = (namespace: string) =>
    change({ namespaces: new Set([namespace]), node: null, pathFrom: null, pathTo: null, view: null });

  return (
    <ActionsContext value={actions}>
      <CardContext value={cardContext}>
        <Box
          ref={box}
          pos="relative"
          h={`calc(100dvh - ${HEADER_HEIGHT}px)`}
          style={{ overflow: "hidden", background: palette.background }}
        >
          <h1 style={{ position: "absolute", clip: "rect(0 0 0 0)" }}>Lineage graph</h1>
          <Toolbar
            {...{ state, change, liveState, isPaused, parents }}
            onPause={() => setIsPaused(!isPaused)}
            onFit={fit}
            onLayout={() => setLayouts(layouts + 1)}
            find={<FindBox scene={scene} flyTo={flyTo} onFocus={focusOn} />}
            exports={
              <LazyMenu
                label="Export"
                icon={<IconDownload size={16} />}
                isOff={scene.cards.size === 0}
                load={() => import("@/views/graph/ExportMenu")}
                menu={{ scene, style }}
              />
            }
          />
          <Stage {...{ scene, hits, style, moving, start }} onMoved={moveTo} onHoverWire={setWire} />
          <GraphStatus known={known} visible={visible} state={state} change={change} />
          <Banner {...{ state, change, trace, known, visible, pathStart }} onCancelPath={onPathEnd} />
          {wire !== null && <WireTip wire={wire} scene={scene} />}
          <Suspense>
            {selected !== undefined && (
              <Selection
                {...{ node: selected, lineage: known.lineage, visible, state, change, flyTo }}
                onPath={setPathStart}
              />
            )}
          </Suspense>
          <Foot
            {...{ scene, visible, palette, colourOf }}
            window={{ width, height }}
            colourOfCard={style.colourOf}
            hasColumns={known.columns.links.length > 0}
            hasTime={state.hasTime}
            onOnly={only}
          />
          <Suspense>
            {state.hasTime && <TimeBar state={state} change={change} lineage={known.lineage} />}
            <DetailsDrawer
              nodeId={state.details}
              onClose={() => change({ details: null })}
              onNavigate={(id) => change({ details: id, selected: id })}
            />
          </Suspense>
        </Box>
      </CardContext>
    </ActionsContext>
  );
}
