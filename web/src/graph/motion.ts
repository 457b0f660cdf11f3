/** Dots that move along the wires of running jobs, on a canvas of their own so that the rest is not drawn again. */

import { sees, type View, windowOf } from "@/graph/canvas";
import { points } from "@/graph/route";
import type { Wire } from "@/graph/scene";

/** Graph units a second, of a stream without a known rate and of the fastest. */
const SLOW = 40;
const FAST = 220;
const BETWEEN_DOTS = 46;
const STEPS = 16;

export interface Moving {
  wire: Wire;
  colour: string;
  rate: number | null; // records a second
}

/** Ten times as many records move a quarter of the range faster. */
export function speed(rate: number | null): number {
  if (rate === null || rate <= 0) return SLOW;
  return Math.min(FAST, SLOW + (FAST - SLOW) * 0.25 * Math.log10(1 + rate));
}

const lines = new WeakMap<Wire, [number, number][]>();

export function drawMotion(
  context: CanvasRenderingContext2D,
  moving: readonly Moving[],
  view: View,
  seconds: number,
): void {
  const { zoom, ratio } = view;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, view.width * ratio, view.height * ratio);
  context.setTransform(zoom * ratio, 0, 0, zoom * ratio, view.x * ratio, view.y * ratio);
  const inside = windowOf(view);
  const radius = Math.max(2.6, 1.5 / zoom);
  for (const { wire, colour, rate } of moving) {
    const [left, top, right, bottom] = wire.box;
    if (!sees(inside, left, top, right, bottom)) continue;
    context.fillStyle = colour;
    context.beginPath();
    for (const [x, y] of along(line(wire), (seconds * speed(rate)) % BETWEEN_DOTS)) {
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.fill();
  }
}

function line(wire: Wire): [number, number][] {
  const known = lines.get(wire);
  if (known !== undefined) return known;
  const made = [...points(wire.curve, STEPS)];
  lines.set(wire, made);
  return made;
}

/** A point every so far along the line, the first one after `offset`. */
export function* along(made: readonly [number, number][], offset: number): Generator<[number, number]> {
  let next = offset;
  let gone = 0;
  for (let n = 1; n < made.length; n++) {
    const [[ax, ay], [bx, by]] = [made[n - 1] as [number, number], made[n] as [number, number]];
    const length = Math.hypot(bx - ax, by - ay);
    while (next <= gone + length && length > 0) {
      const share = (next - gone) / length;
      yield [ax + (bx - ax) * share, ay + (by - ay) * share];
      next += BETWEEN_DOTS;
    }
    gone += length;
  }
}
