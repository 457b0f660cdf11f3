/** Draws on one canvas: frames, all wires and, from afar, all cards. */

import { shortened } from "@/graph/fittedText";
import type { Highlight } from "@/graph/highlight";
import type { RunState } from "@/graph/model";
import type { Palette } from "@/graph/palette";
import { middle, type Rect } from "@/graph/route";
import type { Card, Scene, Wire } from "@/graph/scene";

export interface View {
  x: number; // where the origin of the graph is in the window, in CSS pixels
  y: number;
  zoom: number;
  width: number;
  height: number;
  ratio: number; // device pixels of one CSS pixel
}

export type Mark = "added" | "removed" | "changed";

export interface DrawStyle {
  palette: Palette;
  highlight: Highlight | null;
  isFar: boolean; // cards are drawn here, and not as elements
  colourOf: (card: Card) => string;
  colourOfNamespace: (namespace: string) => string;
  stateOf: (card: Card) => RunState | null;
  cardMarks: ReadonlyMap<string, Mark>;
  wireMarks: ReadonlyMap<string, Mark>;
  labelOf: (wire: Wire) => string | null; // rates and such
}

const FADED = 0.16;
/** Text that would be smaller on the screen is left out. */
const TEXT_FROM_ZOOM = 0.2;
const ARROWS_FROM_ZOOM = 0.3;
const STATES_FROM_ZOOM = 0.1;
/** More wires between columns than these are drawn fainter, or they would be a wall. */
const MANY_LINKS = 250;

/** The part of the graph that is in the window. */
export const windowOf = (view: View): Rect => ({
  x: -view.x / view.zoom,
  y: -view.y / view.zoom,
  width: view.width / view.zoom,
  height: view.height / view.zoom,
});

export function draw(context: CanvasRenderingContext2D, scene: Scene, view: View, style: DrawStyle): void {
  const { zoom, ratio } = view;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, view.width * ratio, view.height * ratio);
  context.setTransform(zoom * ratio, 0, 0, zoom * ratio, view.x * ratio, view.y * ratio);
  const inside = windowOf(view);
  drawLanes(context, scene, inside, style, zoom);
  drawFrames(context, scene, inside, style, zoom);
  drawWires(context, scene, inside, style, zoom);
  if (style.isFar) drawCards(context, scene, inside, style, zoom);
  drawLabels(context, scene, inside, style, zoom);
}

/** Bands across the window; their names stay at its left side. */
function drawLanes(
  context: CanvasRenderingContext2D,
  scene: Scene,
  inside: Rect,
  style: DrawStyle,
  zoom: number,
): void {
  context.textBaseline = "middle";
  context.font = `650 ${12 / zoom}px 'Inter Variable', sans-serif`;
  for (const { namespace, top, bottom } of scene.lanes) {
    if (!sees(inside, inside.x, top, inside.x + 1, bottom)) continue;
    context.fillStyle = style.colourOfNamespace(namespace);
    context.globalAlpha = 0.07;
    context.fillRect(inside.x, top, inside.width, bottom - top);
    context.globalAlpha = 1;
    context.fillText(namespace || "no namespace", inside.x + 14 / zoom, (top + bottom) / 2);
  }
}

function drawFrames(
  context: CanvasRenderingContext2D,
  scene: Scene,
  inside: Rect,
  style: DrawStyle,
  zoom: number,
): void {
  for (const frame of scene.frames) {
    if (!sees(inside, frame.x, frame.y, frame.x + frame.width, frame.y + frame.height)) continue;
    context.globalAlpha = 0.45;
    context.fillStyle = style.palette.frame;
    rounded(context, frame, 12);
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = style.palette.border;
    context.lineWidth = 1 / zoom;
    context.stroke();
    if (style.isFar && zoom < TEXT_FROM_ZOOM) continue;
    context.fillStyle = style.palette.dim;
    context.font = `600 ${12 / Math.min(1, Math.max(zoom, 0.5))}px 'Inter Variable', sans-serif`;
    context.textBaseline = "middle";
    context.fillText(shortened(context, frame.label, frame.width - 24), frame.x + 12, frame.y + 15);
  }
}

interface Strokes {
  colour: string;
  width: number;
  dash: boolean;
  alpha: number;
  wires: Wire[];
}

function drawWires(
  context: CanvasRenderingContext2D,
  scene: Scene,
  inside: Rect,
  style: DrawStyle,
  zoom: number,
): void {
  const strokes = new Map<string, Strokes>();
  const faint = scene.wires.reduce((count, wire) => count + (wire.link === null ? 0 : 1), 0) > MANY_LINKS ? 0.28 : 0.65;
  for (const wire of scene.wires) {
    const [left, top, right, bottom] = wire.box;
    if (!sees(inside, left, top, right, bottom)) continue;
    const stroke = strokeOf(wire, style, faint);
    const key = `${stroke.colour} ${stroke.width} ${stroke.dash} ${stroke.alpha}`;
    const same = strokes.get(key);
    if (same === undefined) strokes.set(key, { ...stroke, wires: [wire] });
    else same.wires.push(wire);
  }
  // What is highlighted comes last, over the rest.
  for (const { colour, width, dash, alpha, wires } of [...strokes.values()].sort(
    (a, b) => a.alpha * a.width - b.alpha * b.width,
  )) {
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.fillStyle = colour;
    // Never thinner than most of a pixel, however far away.
    context.lineWidth = Math.max(width, 0.75 / zoom);
    context.setLineDash(dash ? [6, 5] : []);
    context.beginPath();
    for (const { curve } of wires) {
      context.moveTo(curve[0] as number, curve[1] as number);
      for (let n = 2; n < curve.length; n += 6) {
        const [ax, ay, bx, by, x, y] = curve.subarray(n, n + 6) as unknown as [
          number,
          number,
          number,
          number,
          number,
          number,
        ];
        context.bezierCurveTo(ax, ay, bx, by, x, y);
      }
    }
    context.stroke();
    if (zoom < ARROWS_FROM_ZOOM) continue;
    context.setLineDash([]);
    context.beginPath();
    for (const { curve } of wires) {
      const [x, y] = [curve[curve.length - 2] as number, curve[curve.length - 1] as number];
      context.moveTo(x, y);
      context.lineTo(x - 8, y - 4);
      context.lineTo(x - 8, y + 4);
    }
    context.fill();
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}

function strokeOf(wire: Wire, style: DrawStyle, faint: number): Omit<Strokes, "wires"> {
  const isHighlighted = style.highlight?.wires.has(wire.id) ?? false;
  const alpha = style.highlight === null || isHighlighted ? 1 : FADED;
  const mark = style.wireMarks.get(wire.id);
  const dash = mark === "removed" || (wire.link !== null && !wire.link.isDirect);
  if (mark !== undefined) return { colour: style.palette[mark], width: 2, dash, alpha };
  if (wire.link !== null) {
    const colour = wire.link.isDirect ? style.palette.highlight : style.palette.indirect;
    return {
      colour,
      width: isHighlighted ? 1.8 : 1.1,
      dash,
      alpha: isHighlighted ? 1 : style.highlight === null ? faint : FADED / 2,
    };
  }
  return {
    colour: isHighlighted ? style.palette.highlight : style.palette.wire,
    width: isHighlighted ? 2.2 : 1.4,
    dash,
    alpha,
  };
}

function drawCards(
  context: CanvasRenderingContext2D,
  scene: Scene,
  inside: Rect,
  style: DrawStyle,
  zoom: number,
): void {
  context.textBaseline = "middle";
  const size = 11 / zoom;
  const hasText = zoom >= TEXT_FROM_ZOOM;
  context.font = `550 ${size}px 'Inter Variable', sans-serif`;
  for (const card of scene.cards.values()) {
    if (!sees(inside, card.x, card.y, card.x + card.width, card.y + card.height)) continue;
    const isFaded = style.highlight !== null && !style.highlight.cards.has(card.id);
    context.globalAlpha = isFaded ? FADED * 1.6 : 1;
    const colour = style.colourOf(card);
    const mark = style.cardMarks.get(card.id);
    const state = style.stateOf(card);
    context.fillStyle = style.palette.card;
    const radius = card.node.kind === "dataset" ? 8 : Math.min(card.height / 2, 29);
    rounded(context, card, radius);
    context.fill();
    context.globalAlpha *= 0.2;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = isFaded ? FADED * 1.6 : 1;
    const isBad = state === "FAILED";
    context.strokeStyle = mark !== undefined ? style.palette[mark] : isBad ? style.palette.states.FAILED : colour;
    context.lineWidth = (mark !== undefined || isBad ? 2.5 : 1.2) / zoom;
    context.stroke();
    if (state !== null && zoom >= STATES_FROM_ZOOM) {
      context.fillStyle = style.palette.states[state];
      context.beginPath();
      context.arc(card.x + card.width - 20, card.y + 29, Math.min(12, Math.max(7, 3 / zoom)), 0, 2 * Math.PI);
      context.fill();
    }
    if (!hasText) continue;
    context.fillStyle = style.palette.text;
    const available = card.width - (state === null ? 28 : 58);
    context.fillText(shortened(context, card.node.label, available), card.x + 16, card.y + 30);
  }
  context.globalAlpha = 1;
}

function drawLabels(
  context: CanvasRenderingContext2D,
  scene: Scene,
  inside: Rect,
  style: DrawStyle,
  zoom: number,
): void {
  if (zoom < 0.45) return;
  context.font = "600 10.5px 'Inter Variable', sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "center";
  for (const wire of scene.wires) {
    const text = style.labelOf(wire);
    if (text === null || (style.highlight !== null && !style.highlight.wires.has(wire.id))) continue;
    const [x, y] = middle(wire.curve);
    if (!sees(inside, x - 60, y - 10, x + 60, y + 10)) continue;
    const width = context.measureText(text).width + 12;
    context.fillStyle = style.palette.card;
    context.strokeStyle = style.palette.border;
    context.lineWidth = 1;
    rounded(context, { x: x - width / 2, y: y - 9, width, height: 18 }, 9);
    context.fill();
    context.stroke();
    context.fillStyle = style.palette.text;
    context.fillText(text, x, y + 0.5);
  }
  context.textAlign = "start";
}

export function sees(inside: Rect, left: number, top: number, right: number, bottom: number): boolean {
  return left < inside.x + inside.width && right > inside.x && top < inside.y + inside.height && bottom > inside.y;
}

function rounded(context: CanvasRenderingContext2D, rect: Rect, radius: number): void {
  context.beginPath();
  context.roundRect(rect.x, rect.y, rect.width, rect.height, radius);
}
