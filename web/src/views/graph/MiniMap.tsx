/** The whole graph in a corner, with the window that one looks through. A click goes there. */

import { useReactFlow, useViewport } from "@xyflow/react";
import { type PointerEvent, useEffect, useRef } from "react";
import type { Palette } from "@/graph/palette";
import type { Card, Scene } from "@/graph/scene";
import classes from "@/views/graph/MiniMap.module.css";

const WIDTH = 168;
const HEIGHT = 104;
const MARGIN = 6;

interface Props {
  scene: Scene;
  palette: Palette;
  colourOf: (card: Card) => string;
  window: { width: number; height: number };
}

export function MiniMap({ scene, palette, colourOf, window: size }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const flow = useReactFlow();
  const view = useViewport();
  const { extent } = scene;
  const scale = Math.min((WIDTH - 2 * MARGIN) / (extent.width || 1), (HEIGHT - 2 * MARGIN) / (extent.height || 1));
  const left = (WIDTH - extent.width * scale) / 2 - extent.x * scale;
  const top = (HEIGHT - extent.height * scale) / 2 - extent.y * scale;

  // Nowhere to go, and it would only hide what lies under it.
  const isAllSeen =
    view.x + extent.x * view.zoom >= 0 &&
    view.y + extent.y * view.zoom >= 0 &&
    view.x + (extent.x + extent.width) * view.zoom <= size.width &&
    view.y + (extent.y + extent.height) * view.zoom <= size.height;

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context === null || context === undefined) return;
    context.setTransform(2, 0, 0, 2, 0, 0);
    context.clearRect(0, 0, WIDTH, HEIGHT);
    for (const card of scene.cards.values()) {
      context.fillStyle = colourOf(card);
      const [width, height] = [Math.max(2, card.width * scale), Math.max(1.5, card.height * scale)];
      context.fillRect(left + card.x * scale, top + card.y * scale, width, height);
    }
  }, [scene, colourOf, scale, left, top]);

  const go = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = (event.clientX - box.left - left) / scale;
    const y = (event.clientY - box.top - top) / scale;
    void flow.setCenter(x, y, { zoom: view.zoom });
  };
  return (
    <div
      className={classes.map}
      style={{ width: WIDTH, height: HEIGHT, background: palette.card, visibility: isAllSeen ? "hidden" : undefined }}
      aria-hidden="true"
      data-testid="minimap"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={(event) => event.buttons === 1 && go(event)}
    >
      <canvas ref={canvas} width={WIDTH * 2} height={HEIGHT * 2} style={{ width: WIDTH, height: HEIGHT }} />
      <div
        className={classes.window}
        style={{
          left: left + (-view.x / view.zoom) * scale,
          top: top + (-view.y / view.zoom) * scale,
          width: (size.width / view.zoom) * scale,
          height: (size.height / view.zoom) * scale,
          borderColor: palette.highlight,
        }}
      />
    </div>
  );
}
