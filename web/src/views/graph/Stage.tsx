/** The graph itself: xyflow moves about and holds the cards that are near; two canvases hold all the rest. */

import "@xyflow/react/dist/base.css";

import { type OnMove, type OnMoveEnd, ReactFlow, useReactFlow, useStoreApi } from "@xyflow/react";
import { type MouseEvent, useEffect, useMemo, useRef, useState } from "react";
import { type DrawStyle, windowOf } from "@/graph/canvas";
import type { HitTest } from "@/graph/hitTest";
import type { Moving } from "@/graph/motion";
import type { Rect } from "@/graph/route";
import type { Scene, Wire } from "@/graph/scene";
import type { Position } from "@/state/graphState";
import { liveJobs } from "@/state/liveJobs";
import { useActions } from "@/views/graph/actions";
import { type CardNode, NodeCard } from "@/views/graph/NodeCard";
import { Painter } from "@/views/graph/painter";
import classes from "@/views/graph/Stage.module.css";

const NODE_TYPES = { card: NodeCard };

/** Cards are drawn on the canvas below the first zoom and as elements above the second. */
const FAR = 0.54;
const NEAR = 0.6;
/** How far from an edge the pointer may be, in pixels of the screen. */
const REACH = 7;
/** Cards around the window that are kept ready, as a share of the window. */
const AROUND = 0.35;

interface Props {
  scene: Scene;
  hits: HitTest;
  style: Omit<DrawStyle, "isFar">;
  moving: () => readonly Moving[];
  start: Position | null;
  onMoved: (view: Position) => void;
  onHoverWire: (wire: Wire | null) => void;
}

export function Stage({ scene, hits, style, moving, start, onMoved, onHoverWire }: Props) {
  const actions = useActions();
  const flow = useReactFlow();
  const store = useStoreApi();
  const wires = useRef<HTMLCanvasElement>(null);
  const motion = useRef<HTMLCanvasElement>(null);
  const [isFar, setIsFar] = useState((start?.zoom ?? 1) < FAR);
  const [near, setNear] = useState<Rect | null>(null);

  // What is drawn next, for those who draw outside of React.
  const latest = useRef({ scene, style: { ...style, isFar }, moving });
  latest.current = { scene, style: { ...style, isFar }, moving };
  const painter = useRef<Painter | null>(null);

  useEffect(() => {
    const [below, above] = [wires.current, motion.current];
    if (below === null || above === null) return;
    const made = new Painter(below, above, () => latest.current);
    painter.current = made;
    const updateView = () => {
      const { transform, width, height } = store.getState();
      made.see({ x: transform[0], y: transform[1], zoom: transform[2], width, height, ratio: window.devicePixelRatio });
    };
    const reconsider = () => {
      updateView();
      const view = made.view;
      if (view.width === 0) return;
      setIsFar((was) => view.zoom < (was ? NEAR : FAR));
      setNear((was) => (was !== null && holds(was, windowOf(view)) ? was : around(windowOf(view))));
    };
    reconsider();
    const stops = [store.subscribe(reconsider), liveJobs.subscribeToAll(() => made.paintLater())];
    return () => {
      for (const stop of stops) stop();
      made.stop();
    };
  }, [store]);
  useEffect(() => painter.current?.paintSoon());

  const nodes = useMemo<CardNode[]>(() => {
    if (isFar || near === null) return [];
    return hits.cardsIn(near).map((card) => ({
      id: card.id,
      type: "card",
      position: { x: card.x, y: card.y },
      data: { card },
      width: card.width,
      height: card.height,
      measured: { width: card.width, height: card.height },
      handles: [],
      style: { pointerEvents: "all" }, // xyflow takes cards that it does not drag for decoration
      draggable: false,
      selectable: false,
      focusable: false,
      connectable: false,
    }));
  }, [hits, near, isFar]);

  const under = (event: MouseEvent) =>
    flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }, { snapToGrid: false });
  const onPaneMove = (event: MouseEvent) => {
    // Cards say themselves when the pointer is on them.
    if ((event.target as Element).closest("article") !== null) return onHoverWire(null);
    const { x, y } = under(event);
    const card = isFar ? hits.card(x, y) : null;
    actions.hover(card?.id ?? null);
    onHoverWire(card === null ? hits.wire(x, y, REACH / flow.getZoom()) : null);
  };
  const onPaneClick = (event: MouseEvent) => {
    const { x, y } = under(event);
    const card = isFar ? hits.card(x, y) : null;
    actions.select(card?.id ?? null);
  };
  const onMove: OnMove = () => document.documentElement.toggleAttribute("data-panning", true);
  const onMoveEnd: OnMoveEnd = (_, view) => {
    document.documentElement.toggleAttribute("data-panning", false);
    onMoved(view);
  };

  return (
    <div className={classes.stage} data-testid="stage" data-cards={scene.cards.size} data-wires={scene.wires.length}>
      <canvas ref={motion} className={classes.canvas} />
      <canvas ref={wires} className={classes.canvas} />
      <ReactFlow
        nodes={nodes}
        edges={[]}
        nodeTypes={NODE_TYPES}
        defaultViewport={start ?? { x: 0, y: 0, zoom: 1 }}
        minZoom={0.02}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        zoomOnDoubleClick={false}
        deleteKeyCode={null}
        panOnScroll={false}
        proOptions={{ hideAttribution: true }}
        onMove={onMove}
        onMoveEnd={onMoveEnd}
        onPaneMouseMove={onPaneMove}
        onPaneMouseLeave={() => {
          actions.hover(null);
          onHoverWire(null);
        }}
        onPaneClick={onPaneClick}
      />
    </div>
  );
}

function around(rect: Rect): Rect {
  const [x, y] = [rect.width * AROUND, rect.height * AROUND];
  return { x: rect.x - x, y: rect.y - y, width: rect.width + 2 * x, height: rect.height + 2 * y };
}

/** Whether the inner rectangle is inside, and the outer one not much too large for it. */
function holds(outer: Rect, inner: Rect): boolean {
  const fits =
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height;
  return fits && outer.width <= inner.width * (1 + 4 * AROUND);
}
