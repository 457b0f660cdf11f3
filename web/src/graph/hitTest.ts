/** What lies under the pointer, and what lies in the window: cards and wires by cells of a grid. */

import { append } from "@/graph/append";
import { points, type Rect } from "@/graph/route";
import type { Card, Scene, Wire } from "@/graph/scene";

/** About a card and a half. */
const CELL = 420;

export class HitTest {
  readonly #cards = new Map<string, Card[]>();
  readonly #wires = new Map<string, Wire[]>();

  constructor(scene: Scene) {
    for (const card of scene.cards.values()) put(this.#cards, card, card);
    for (const wire of scene.wires) {
      const [left, top, right, bottom] = wire.box;
      put(this.#wires, { x: left, y: top, width: right - left, height: bottom - top }, wire);
    }
  }

  card(x: number, y: number): Card | null {
    for (const card of this.#cards.get(key(x, y)) ?? []) {
      if (x >= card.x && x <= card.x + card.width && y >= card.y && y <= card.y + card.height) return card;
    }
    return null;
  }

  /** The nearest wire, if it is within `reach`. */
  wire(x: number, y: number, reach: number): Wire | null {
    let best: Wire | null = null;
    let nearest = reach;
    for (const wire of this.#wires.get(key(x, y)) ?? []) {
      const [left, top, right, bottom] = wire.box;
      if (x < left - reach || x > right + reach || y < top - reach || y > bottom + reach) continue;
      const away = distance(wire, x, y);
      if (away < nearest) [best, nearest] = [wire, away];
    }
    return best;
  }

  /** The cards that are at least partly inside. */
  cardsIn(rect: Rect): Card[] {
    const cards = new Set<Card>();
    for (const cell of cells(rect)) {
      for (const card of this.#cards.get(cell) ?? []) {
        if (
          card.x < rect.x + rect.width &&
          card.x + card.width > rect.x &&
          card.y < rect.y + rect.height &&
          card.y + card.height > rect.y
        ) {
          cards.add(card);
        }
      }
    }
    return [...cards];
  }
}

function distance(wire: Wire, x: number, y: number): number {
  let best = Number.POSITIVE_INFINITY;
  let before: [number, number] | null = null;
  for (const point of points(wire.curve, 10)) {
    if (before !== null) best = Math.min(best, toLine(before, point, x, y));
    before = point;
  }
  return best;
}

function toLine([ax, ay]: [number, number], [bx, by]: [number, number], x: number, y: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(x - ax - share * dx, y - ay - share * dy);
}

const key = (x: number, y: number) => `${Math.floor(x / CELL)} ${Math.floor(y / CELL)}`;

function* cells(rect: Rect): Generator<string> {
  for (let x = Math.floor(rect.x / CELL); x <= Math.floor((rect.x + rect.width) / CELL); x++) {
    for (let y = Math.floor(rect.y / CELL); y <= Math.floor((rect.y + rect.height) / CELL); y++) yield `${x} ${y}`;
  }
}

function put<T>(grid: Map<string, T[]>, rect: Rect, thing: T): void {
  for (const cell of cells(rect)) {
    append(grid, cell, thing);
  }
}
