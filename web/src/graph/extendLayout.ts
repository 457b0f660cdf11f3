/** Adds cards to a layout: what stands stays, unless a card that grew needs its place. */

import { append } from "@/graph/append";
import { type Box, GAP_Y, type Places, STEP_X, type Task } from "@/graph/layout";

export function extendLayout(task: Task, before: Places): Places {
  const places: Places = new Map();
  const columns = new Columns();
  const fresh: Box[] = [];
  for (const box of task.boxes) {
    const place = before.get(box.id);
    if (place === undefined) fresh.push(box);
    else {
      places.set(box.id, { ...place });
      columns.add(box, place);
    }
  }
  for (const [id, y] of columns.makeRoom()) {
    const place = places.get(id);
    if (place !== undefined) place.y = y;
  }
  const near = neighboursOf(task);
  for (const box of inReach(fresh, near, places)) {
    const place = columns.free(box, idealPlace(box, near, places) ?? columns.below());
    places.set(box.id, place);
    columns.add(box, place);
  }
  return places;
}

interface Near {
  sources: Map<string, string[]>;
  targets: Map<string, string[]>;
}

function neighboursOf(task: Task): Near {
  const near: Near = { sources: new Map(), targets: new Map() };
  for (const { from, to } of task.links) {
    append(near.targets, from, to);
    append(near.sources, to, from);
  }
  return near;
}

/** New cards in an order in which each has a neighbour with a place, where it has one at all. */
function* inReach(fresh: readonly Box[], near: Near, places: Places): Generator<Box> {
  const left = new Map(fresh.map((box) => [box.id, box]));
  const waiting: string[] = [];
  const enqueueNeighbours = (id: string) => {
    for (const other of [...(near.sources.get(id) ?? []), ...(near.targets.get(id) ?? [])]) {
      if (left.has(other)) waiting.push(other);
    }
  };
  for (const id of places.keys()) enqueueNeighbours(id);
  while (left.size > 0) {
    const id = waiting.shift() ?? (left.keys().next().value as string);
    const box = left.get(id);
    if (box === undefined) continue;
    left.delete(id);
    yield box;
    enqueueNeighbours(id);
  }
}

/** Right of what it comes from, or left of where it goes, at the height of those neighbours. */
function idealPlace(box: Box, near: Near, places: Places): { x: number; y: number } | null {
  const placesOf = (ids: readonly string[] | undefined) =>
    (ids ?? []).map((id) => places.get(id)).filter((p) => p !== undefined);
  const sources = placesOf(near.sources.get(box.id));
  const targets = placesOf(near.targets.get(box.id));
  const around = sources.length > 0 ? sources : targets;
  if (around.length === 0) return null;
  const x =
    sources.length > 0
      ? Math.max(...sources.map((place) => place.x)) + STEP_X
      : Math.min(...targets.map((place) => place.x)) - STEP_X;
  return { x, y: around.reduce((sum, place) => sum + place.y, 0) / around.length };
}

interface Standing {
  id: string;
  top: number;
  bottom: number;
}

/** What stands in each column of the grid, from top to bottom. */
class Columns {
  readonly #columns = new Map<number, Standing[]>();
  #bottom = Number.NEGATIVE_INFINITY;
  #left = Number.POSITIVE_INFINITY;

  add(box: Box, place: { x: number; y: number }): void {
    const column = this.#column(place.x);
    column.push({ id: box.id, top: place.y, bottom: place.y + box.height });
    column.sort((a, b) => a.top - b.top);
    this.#bottom = Math.max(this.#bottom, place.y + box.height);
    this.#left = Math.min(this.#left, place.x);
  }

  /** Cards that a grown one would cover are pushed down, in its column only. */
  *makeRoom(): Generator<[string, number]> {
    for (const column of this.#columns.values()) {
      let floor = Number.NEGATIVE_INFINITY;
      for (const card of column) {
        if (card.top < floor) {
          const height = card.bottom - card.top;
          card.top = floor;
          card.bottom = floor + height;
          yield [card.id, floor];
        }
        // Cards may stand closer than the gap where they stood so before.
        floor = card.bottom + GAP_Y / 2;
      }
    }
  }

  /** The free place nearest to the ideal one. */
  free(box: Box, place: { x: number; y: number }): { x: number; y: number } {
    const column = this.#column(place.x);
    let best = Number.POSITIVE_INFINITY;
    let above = Number.NEGATIVE_INFINITY;
    for (const card of [...column, { top: Number.POSITIVE_INFINITY, bottom: Number.POSITIVE_INFINITY }]) {
      const [lowest, highest] = [card.top - GAP_Y - box.height, above + GAP_Y];
      if (lowest >= highest) {
        const y = Math.min(Math.max(place.y, highest), lowest);
        if (Math.abs(y - place.y) < Math.abs(best - place.y)) best = y;
      }
      above = Math.max(above, card.bottom);
    }
    return { x: place.x, y: Math.round(best) };
  }

  /** Under everything: for what is connected with nothing. */
  below(): { x: number; y: number } {
    return Number.isFinite(this.#bottom) ? { x: this.#left, y: this.#bottom + 2 * GAP_Y } : { x: 0, y: 0 };
  }

  #column(x: number): Standing[] {
    const key = Math.round(x / STEP_X);
    const column = this.#columns.get(key) ?? [];
    this.#columns.set(key, column);
    return column;
  }
}
