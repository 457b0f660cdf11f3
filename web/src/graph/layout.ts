/** Where each card stands. From scratch, or beside those that stand already and must not move. */

import { extendLayout } from "@/graph/extendLayout";
import { type Ends, layersOf } from "@/graph/layers";
import { ordered } from "@/graph/order";
import { placed } from "@/graph/place";

export const CARD_WIDTH = 236;
/** From one layer to the next: a card and space for the curves of its edges. */
export const STEP_X = CARD_WIDTH + 92;
export const GAP_Y = 22;
/** How much space an edge takes that passes a layer: with the gap around it, ten pixels. */
const STAND_IN = 10 - GAP_Y;
const BETWEEN_PARTS = 64;
/** Parts that are not connected are packed towards the shape of a screen. */
const ASPECT = 1.9;

export interface Box {
  id: string;
  height: number;
  block: string | null; // what belongs together, such as the actions of an application
  lane: string | null;
}

export interface Link {
  from: string;
  to: string;
}

export type Places = Map<string, { x: number; y: number }>;

export interface Task {
  boxes: readonly Box[];
  links: readonly Link[]; // those between columns too, as links of their cards
  lanes: readonly string[]; // in their order; empty: no lanes
  before: Places | null; // null: from scratch
}

export function layout(task: Task): Places {
  const stays = task.before !== null && task.boxes.some((box) => task.before?.has(box.id));
  if (task.before !== null && stays) return extendLayout(task, task.before);
  return fresh(task);
}

function fresh(task: Task): Places {
  if (task.lanes.length > 0) return part(task);
  return packed(parts(task).map((one) => ({ places: part(one), heights: heightsOf(one) })));
}

/** One connected part, at the origin. */
function part(task: Task): Places {
  const index = new Map(task.boxes.map((box, number) => [box.id, number]));
  const ends = endsOf(task.links, index);
  const blocks = numbers(task.boxes.map((box) => box.block));
  const laneOf = new Map(task.lanes.map((lane, number) => [lane, number]));
  const lanes = Int32Array.from(task.boxes, (box) => laneOf.get(box.lane ?? "") ?? 0);
  const layers = layersOf(task.boxes.length, ends);
  const items = ordered(layers, ends, blocks, lanes);
  const height = (item: number) => task.boxes[item]?.height ?? STAND_IN;
  const tops = placed(items, height, GAP_Y, task.lanes.length > 0 ? lanes : null);
  const places: Places = new Map();
  task.boxes.forEach((box, number) => {
    places.set(box.id, { x: (layers[number] as number) * STEP_X, y: tops[number] as number });
  });
  return places;
}

function endsOf(links: readonly Link[], index: ReadonlyMap<string, number>): Ends {
  const from: number[] = [];
  const to: number[] = [];
  const seen = new Set<number>();
  for (const link of links) {
    const [a, b] = [index.get(link.from), index.get(link.to)];
    if (a === undefined || b === undefined || a === b) continue;
    const key = a * index.size + b;
    if (seen.has(key)) continue;
    seen.add(key);
    from.push(a);
    to.push(b);
  }
  return { from: Int32Array.from(from), to: Int32Array.from(to) };
}

function numbers(blocks: readonly (string | null)[]): Int32Array {
  const known = new Map<string, number>();
  return Int32Array.from(blocks, (block) => {
    if (block === null) return 0;
    if (!known.has(block)) known.set(block, known.size + 1);
    return known.get(block) ?? 0;
  });
}

/** The connected parts, the largest first; what forms a block counts as connected. */
function parts(task: Task): Task[] {
  const leader = new Map<string, string>();
  const find = (id: string): string => {
    let top = id;
    while (leader.get(top) !== undefined && leader.get(top) !== top) top = leader.get(top) as string;
    for (let at = id; at !== top; ) {
      const next = leader.get(at) as string;
      leader.set(at, top);
      at = next;
    }
    return top;
  };
  const join = (a: string, b: string) => leader.set(find(a), find(b));
  for (const box of task.boxes) leader.set(box.id, box.id);
  for (const link of task.links) if (leader.has(link.from) && leader.has(link.to)) join(link.from, link.to);
  const firstOf = new Map<string, string>();
  for (const { id, block } of task.boxes) {
    if (block === null) continue;
    const first = firstOf.get(block);
    if (first === undefined) firstOf.set(block, id);
    else join(id, first);
  }
  const byTop = new Map<string, { boxes: Box[]; links: Link[] }>();
  for (const box of task.boxes) {
    const top = find(box.id);
    const part = byTop.get(top);
    if (part === undefined) byTop.set(top, { boxes: [box], links: [] });
    else part.boxes.push(box);
  }
  for (const link of task.links) if (leader.has(link.from)) byTop.get(find(link.from))?.links.push(link);
  return [...byTop.values()]
    .map((one) => ({ ...one, lanes: [], before: null }))
    .sort((a, b) => b.boxes.length - a.boxes.length);
}

interface Part {
  places: Places;
  heights: ReadonlyMap<string, number>;
}

/** Side by side in rows, of the width that comes nearest to the shape of a screen. */
function packed(parts: readonly Part[]): Places {
  const sizes = parts.map(({ places, heights }) => extent(places, heights));
  const widest = Math.max(0, ...sizes.map((size) => size.width));
  const widths = [1, 1.5, 2, 2.5, 3, 4, 6, 8, 12, 16, 24].map((times) => widest * times);
  const tries = widths.map((width) => rows(sizes, width));
  const best = tries.reduce((a, b) => (looseness(b) < looseness(a) ? b : a));
  const all: Places = new Map();
  parts.forEach(({ places }, index) => {
    const { x, y } = best.starts[index] as { x: number; y: number };
    const { top } = sizes[index] as Extent;
    for (const [id, place] of places) all.set(id, { x: place.x + x, y: place.y - top + y });
  });
  return all;
}

interface Rows {
  starts: { x: number; y: number }[];
  width: number;
  height: number;
}

/** The size that a window of the preferred shape needs to show all. */
const looseness = ({ width, height }: Rows) => Math.max(width, height * ASPECT);

/** Columns of all parts stand in one grid, so that new cards fit in later. */
function rows(sizes: readonly Extent[], rowWidth: number): Rows {
  let [x, y, rowHeight, width] = [0, 0, 0, 0];
  const starts = sizes.map((size) => {
    if (x > 0 && x + size.width > rowWidth) {
      y += rowHeight + BETWEEN_PARTS;
      [x, rowHeight] = [0, 0];
    }
    const start = { x, y };
    x += Math.ceil(size.width / STEP_X) * STEP_X;
    width = Math.max(width, start.x + size.width);
    rowHeight = Math.max(rowHeight, size.height);
    return start;
  });
  return { starts, width, height: y + rowHeight };
}

interface Extent {
  top: number;
  width: number;
  height: number;
}

function extent(places: Places, heights: ReadonlyMap<string, number>): Extent {
  let [top, bottom, right] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const [id, { x, y }] of places) {
    top = Math.min(top, y);
    bottom = Math.max(bottom, y + (heights.get(id) ?? 0));
    right = Math.max(right, x + CARD_WIDTH);
  }
  return { top, width: right, height: bottom - top };
}

const heightsOf = (task: Task) => new Map(task.boxes.map((box) => [box.id, box.height]));
