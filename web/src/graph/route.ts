/** The curves of edges: cubic, from the right side of one card to the left side of another, around those between. */

import { append } from "@/graph/append";
import { CARD_WIDTH, STEP_X } from "@/graph/layout";

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A start (x, y) and then for each piece two control points and its end: 2 + 6n numbers. */
export type Curve = Float64Array;

/** Room between a passing edge and a card. */
const PASSING = 9;
/** An edge passes a card level, for this much on both sides of it. */
const LEVEL = 14;

/** What stands in each column, to go around. */
export class Obstacles {
  readonly #columns = new Map<number, [number, number][]>();

  constructor(rects: Iterable<Rect>) {
    for (const rect of rects) {
      const key = Math.round(rect.x / STEP_X);
      append(this.#columns, key, [rect.y - PASSING, rect.y + rect.height + PASSING]);
    }
    for (const column of this.#columns.values()) column.sort((a, b) => a[0] - b[0]);
  }

  /** The height nearest to `y` at which nothing stands in the column at `x`. */
  free(x: number, y: number): number {
    const column = this.#columns.get(Math.round(x / STEP_X)) ?? [];
    let best = Number.POSITIVE_INFINITY;
    let above = Number.NEGATIVE_INFINITY;
    for (const [top, bottom] of [...column, [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]] as [
      number,
      number,
    ][]) {
      if (top >= above) {
        const near = Math.min(Math.max(y, above), top);
        if (Math.abs(near - y) < Math.abs(best - y)) best = near;
      }
      above = Math.max(above, bottom);
      if (above - y > Math.abs(best - y)) break;
    }
    return best;
  }
}

/** `fromY` and `toY`: where on the sides of the cards the edge ends; `aside`: how far from others in the same gap. */
export function route(from: Rect, fromY: number, to: Rect, toY: number, obstacles: Obstacles, aside = 0): Curve {
  const [startX, endX] = [from.x + from.width, to.x];
  if (endX <= startX) return backwards(from, fromY, to, toY);
  const path = new Path(startX, fromY);
  for (let x = from.x + STEP_X; x < to.x - STEP_X / 2; x += STEP_X) {
    const share = (x - from.x) / (to.x - from.x);
    const y = obstacles.free(x, fromY + (toY - fromY) * share) + aside;
    path.to(x - LEVEL, y);
    path.to(x + CARD_WIDTH + LEVEL, y);
  }
  path.to(endX, toY);
  return path.curve();
}

/** Under both cards and back, for an edge that closes a cycle. */
function backwards(from: Rect, fromY: number, to: Rect, toY: number): Curve {
  const [startX, endX] = [from.x + from.width, to.x];
  const under = Math.max(from.y + from.height, to.y + to.height) + 26;
  const bow = 46;
  return Float64Array.of(
    startX, fromY,
    startX + bow, fromY, startX + bow, under, startX - 8, under,
    startX - 8, under, endX + 8, under, endX + 8, under,
    endX - bow, under, endX - bow, toY, endX, toY,
  ); // biome-ignore format: in points
}

class Path {
  readonly #numbers: number[];

  constructor(
    private x: number,
    private y: number,
  ) {
    this.#numbers = [x, y];
  }

  /** Leaves and arrives level. */
  to(x: number, y: number): void {
    const bow = (x - this.x) / 2;
    this.#numbers.push(this.x + bow, this.y, x - bow, y, x, y);
    [this.x, this.y] = [x, y];
  }

  curve(): Curve {
    return Float64Array.from(this.#numbers);
  }
}

/** The smallest rectangle around a curve's points, which holds the curve too. */
export function bounds(curve: Curve): [number, number, number, number] {
  let [left, top, right, bottom] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];
  for (let n = 0; n < curve.length; n += 2) {
    const [x, y] = [curve[n] as number, curve[n + 1] as number];
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return [left, top, right, bottom];
}

/** Points along the curve, `steps` of them on each piece. */
export function* points(curve: Curve, steps: number): Generator<[number, number]> {
  yield [curve[0] as number, curve[1] as number];
  for (let n = 2; n + 5 < curve.length; n += 6) {
    for (let step = 1; step <= steps; step++) yield pointOn(curve, n, step / steps);
  }
}

/** The point at `share` of the piece whose control points begin at `n`. */
function pointOn(curve: Curve, n: number, share: number): [number, number] {
  const rest = 1 - share;
  const weights = [rest ** 3, 3 * rest * rest * share, 3 * rest * share * share, share ** 3] as const;
  let [x, y] = [0, 0];
  for (let k = 0; k < 4; k++) {
    x += weights[k as 0] * (curve[n - 2 + 2 * k] as number);
    y += weights[k as 0] * (curve[n - 1 + 2 * k] as number);
  }
  return [x, y];
}

/** The middle of the curve, where a label stands. */
export function middle(curve: Curve): [number, number] {
  const pieces = (curve.length - 2) / 6;
  const whole = Math.floor((pieces - 1) / 2);
  return pointOn(curve, 2 + 6 * whole, pieces % 2 === 1 ? 0.5 : 1);
}
