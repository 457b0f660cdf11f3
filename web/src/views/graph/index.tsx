import { Box, useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactFlowInstance, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { namespacesQuery } from "@/api/queries";
import { highlightCard, highlightColumn, highlightWire } from "@/graph/highlight";
import { HitTest } from "@/graph/hitTest";
import type { Moving } from "@/graph/motion";
import { colour, colourNumbers } from "@/graph/namespaceColours";
import { PALETTES } from "@/graph/palette";
import type { Card, Scene, Wire } from "@/graph/scene";
import { step } from "@/graph/visible";
import { LazyMenu } from "@/parts/LazyMenu";
import { HEADER_HEIGHT } from "@/shell/Shell";
import { readState, toggled } from "@/state/graphState";
import { liveJobs } from "@/state/liveJobs";
import { wireLabel } from "@/state/throughput";
import { useGraphState } from "@/state/useGraphState";
import { type Actions, ActionsContext } from "@/views/graph/actions";
import { Banner } from "@/views/graph/Banner";
import { CardContext, type CardContextValue, runOf } from "@/views/graph/cardContext";
import { FindBox } from "@/views/graph/FindBox";
import { States } from "@/views/graph/GraphStatus";
import { Legend } from "@/views/graph/Legend";
import { MiniMap } from "@/views/graph/MiniMap";
import classes from "@/views/graph/Panels.module.css";
import { Stage } from "@/views/graph/Stage";
import { LEGEND, TIME_BAR, TOOLBAR } from "@/views/graph/sizes";
import { Toolbar } from "@/views/graph/Toolbar";
import { useKeys } from "@/views/graph/useKeys";
import { useLineage } from "@/views/graph/useLineage";
import { announceEnd, useLive } from "@/views/graph/useLive";
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

/** A card that is flown to is at least this near. */
const NEAR = 0.85;
/** Windows that are less wide are those of phones: cards are read one by one. */
const NARROW = 600;
const READABLE = 0.6;
/** A small graph is not blown up to fill the window. */
const MOST_FIT = 1.05;

function GraphPage() {
  const { state, change, moveTo } = useGraphState();
  const scheme = useComputedColorScheme("light");
  const palette = PALETTES[scheme];
  const flow = useReactFlow();
  const [tidied, setTidied] = useState(0);
  const [isPaused, setIsPaused] = useState(false);
  const [hovered, setHovered] = useState<string | null>(null);
  const [wire, setWire] = useState<Wire | null>(null);
  const [pathStart, setPathStart] = useState<string | null>(null);
  const { ref: box, width, height } = useElementSize();

  const known = useLineage(state);
  const { scene, visible, trace, subject } = useScene(known, state, tidied);
  const hits = useMemo(() => new HitTest(scene), [scene]);

  const namespaces = useQuery(namespacesQuery());
  const numbers = useMemo(() => {
    const oldestFirst = [...(namespaces.data?.namespaces ?? [])].sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    return colourNumbers(oldestFirst.map(({ name }) => name));
  }, [namespaces.data]);
  const colourOf = useCallback((namespace: string) => colour(numbers, namespace, scheme), [numbers, scheme]);
  const colourOfCard = useCallback((card: Card) => colourOf(card.node.namespace), [colourOf]);

  const fit = useCallback(() => {
    if (scene.cards.size > 0) void flow.fitBounds(scene.extent, { padding: 0.12, duration: 200 });
  }, [flow, scene]);
  const flight = useRef<string | null>(null); // to a card that is not there yet
  const flyTo = useCallback(
    (id: string) => {
      change({ selected: id }, { replace: true });
      flight.current = id;
      takeOff(flight, scene, flow);
    },
    [flow, scene, change],
  );
  useEffect(() => takeOff(flight, scene, flow), [scene, flow]);
  useFirstLook(subject, width, height - (state.hasTime ? TIME_BAR : 0), scene, state.node, flow);

  const isOn = !isPaused && state.at === null;
  const liveState = useLive({
    isOn,
    concerns: (id) => known.lineage.nodes.size === 0 || state.node === null || known.lineage.nodes.has(id),
    isShownJob: (id) =>
      visible.nodes.has(id) ||
      [...visible.nodes.values()].some((node) => node.kind === "group" && node.members.some((one) => one.id === id)),
    onAlarm: (job) => {
      const label = known.lineage.nodes.get(job)?.label ?? job;
      announceEnd(label, liveJobs.get(job)?.run.state ?? "FAILED", () => flyTo(job));
    },
  });

  const lit = useMemo(() => {
    if (trace !== null) return highlightColumn(scene, trace);
    if (wire !== null) return highlightWire(wire);
    const card = hovered ?? state.selected;
    return card !== null && scene.cards.has(card) ? highlightCard(scene, card) : null;
  }, [scene, trace, wire, hovered, state.selected]);

  const actions = useMemo<Actions>(
    () => ({
      select: (id) => {
        const fact = id === null ? undefined : liveJobs.get(id);
        if (id !== null && fact?.isAlarming) liveJobs.set(id, { ...fact, isAlarming: false });
        if (id !== null && pathStart !== null && id !== pathStart) {
          setPathStart(null);
          change({ pathFrom: pathStart, pathTo: id, node: null, selected: null, view: null });
        } else change({ selected: id, ...(id === null ? { column: null } : {}) }, { replace: true });
      },
      details: (id) => change({ details: id, selected: id }),
      hover: setHovered,
      openStep: (way, id, isWide) => {
        const here = step(way, id);
        change({
          opened: new Set([...state.opened, here]),
          whole: isWide ? new Set([...state.whole, here]) : state.whole,
          closed: state.closed.has(here) ? toggled(state.closed, here) : state.closed,
          selected: id,
        });
      },
      toggleColumns: (id) => change({ cards: toggled(state.cards, id) }),
      traceColumn: (column) => change({ column }),
      openGroup: (id) => change({ shut: toggled(state.shut, id) }),
    }),
    [change, state, pathStart],
  );

  const looks = useMemo<CardContextValue>(
    () => ({
      lit,
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
    [lit, trace, state, visible.missing, known.cardMarks, colourOf],
  );
  const jobOf = useCallback((one: Wire) => (one.from.startsWith("job:") ? one.from : one.to), []);
  const look = useMemo(
    () => ({
      palette,
      lit,
      colourOf: colourOfCard,
      colourOfNamespace: colourOf,
      stateOf: (card: Card) => runOf(card.node, state.at)?.state ?? null,
      cardMarks: known.cardMarks,
      wireMarks: known.wireMarks,
      labelOf: (one: Wire) => {
        if (one.link !== null) return one.link.isMasked ? "masked" : null;
        if (!state.hasLabels) return null;
        const job = jobOf(one);
        return wireLabel(liveJobs.get(job)?.flow ?? null, one.to === job);
      },
    }),
    [palette, lit, colourOf, colourOfCard, known.cardMarks, known.wireMarks, state.at, state.hasLabels, jobOf],
  );
  const moving = useCallback((): readonly Moving[] => {
    if (!isOn) return [];
    return scene.wires.flatMap((one) => {
      const card = scene.cards.get(jobOf(one));
      if (one.link !== null || card === undefined || runOf(card.node, null)?.state !== "RUNNING") return [];
      const flow = liveJobs.get(card.id)?.flow;
      const rate = one.to === card.id ? (flow?.read ?? flow?.rate) : flow?.rate;
      return [{ wire: one, colour: palette.states.RUNNING, rate: rate ?? null }];
    });
  }, [scene, isOn, palette, jobOf]);

  useKeys({
    scene,
    selected: state.selected,
    focus: state.node,
    select: actions.select,
    details: actions.details,
    fit,
  });
  const selected = state.selected === null ? undefined : visible.nodes.get(state.selected);
  const parents = useMemo(
    () => [
      ...new Set(
        [...known.lineage.nodes.values()].flatMap((node) =>
          node.kind === "job" && node.parent !== null ? [node.parent] : [],
        ),
      ),
    ],
    [known.lineage],
  );
  const shownNamespaces = useMemo(
    () => [...new Set([...visible.nodes.values()].map((node) => node.namespace))].sort(),
    [visible.nodes],
  );
  const focusOn = (id: string) =>
    change({ node: id, pathFrom: null, pathTo: null, opened: new Set(), closed: new Set(), selected: id, view: null });
  const only = (namespace: string) =>
    change({ namespaces: new Set([namespace]), node: null, pathFrom: null, pathTo: null, view: null });
  const start = useRef(readState(window.location.search).view).current;

  return (
    <ActionsContext value={actions}>
      <CardContext value={looks}>
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
            onTidy={() => setTidied(tidied + 1)}
            find={<FindBox scene={scene} flyTo={flyTo} onFocus={focusOn} />}
            exports={
              <LazyMenu
                label="Export"
                icon={<IconDownload size={16} />}
                isOff={scene.cards.size === 0}
                load={() => import("@/views/graph/ExportMenu")}
                menu={{ scene, look: { palette, colourOf: colourOfCard, stateOf: look.stateOf } }}
              />
            }
          />
          <Stage {...{ scene, hits, look, moving, start }} onMoved={moveTo} onHoverWire={setWire} />
          <States known={known} visible={visible} state={state} change={change} />
          <Banner {...{ state, change, trace, known, visible, pathStart }} onCancelPath={() => setPathStart(null)} />
          {wire !== null && <WireTip wire={wire} scene={scene} />}
          <Suspense>
            {selected !== undefined && (
              <Selection
                {...{ node: selected, lineage: known.lineage, visible, state, change, flyTo }}
                onPath={setPathStart}
              />
            )}
          </Suspense>
          {scene.cards.size > 0 && (
            <div className={classes.foot} data-time={state.hasTime} style={{ bottom: state.hasTime ? TIME_BAR : 0 }}>
              <div className={classes.corner}>
                <MiniMap scene={scene} palette={palette} colourOf={colourOfCard} window={{ width, height }} />
              </div>
              <Legend
                namespaces={shownNamespaces}
                colourOf={colourOf}
                hasColumns={known.columns.links.length > 0}
                onOnly={only}
              />
            </div>
          )}
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

/** Flies to the card as soon as it is there. */
function takeOff(flight: { current: string | null }, scene: Scene, flow: ReactFlowInstance): void {
  const card = scene.cards.get(flight.current ?? "");
  if (card === undefined) return;
  flight.current = null;
  const zoom = Math.max(NEAR, flow.getZoom());
  void flow.setCenter(card.x + card.width / 2, card.y + card.height / 2, { zoom, duration: 350 });
}

const leftmost = (a: Card, b: Card) => a.x - b.x || a.y - b.y;

/** The first scene of a subject is looked at as a whole, or around its focus where that would be too small to read. */
function useFirstLook(
  subject: string,
  width: number,
  height: number,
  scene: Scene,
  focus: string | null,
  flow: ReactFlowInstance,
): void {
  const seen = useRef(readState(window.location.search).view === null ? "" : "as in the address");
  useEffect(() => {
    if (scene.cards.size === 0 || width === 0 || seen.current === subject) return;
    const isFromAddress = seen.current === "as in the address";
    seen.current = subject;
    if (isFromAddress) return;
    // On a phone all of it would be a stamp: it shows where the graph begins, and one moves on from there.
    const card =
      scene.cards.get(focus ?? "") ?? (width < NARROW ? [...scene.cards.values()].sort(leftmost)[0] : undefined);
    const { extent } = scene;
    const room = height - TOOLBAR - LEGEND;
    const zoom = Math.min(MOST_FIT, (width * 0.92) / extent.width, (room * 0.9) / extent.height);
    const middle = { x: extent.x + extent.width / 2, y: extent.y + extent.height / 2 };
    const isTooSmall = zoom < (width < NARROW ? READABLE : 0.35) && card !== undefined;
    const at = isTooSmall ? { x: card.x + card.width / 2, y: card.y + card.height / 2 } : middle;
    const used = isTooSmall ? NEAR : zoom;
    void flow.setViewport({ x: width / 2 - at.x * used, y: TOOLBAR + room / 2 - at.y * used, zoom: used });
  }, [subject, scene, focus, width, height, flow]);
}
