/** Everything that is drawn, with its places: cards, wires, frames around groups. */

import { append } from "@/graph/append";
import { HEAD_Y, heightOf, type Row, rowsOf, rowY } from "@/graph/cards";
import type { ColumnLineage, ColumnLink, Trace } from "@/graph/columns";
import { type Box, CARD_WIDTH, type Link, type Places } from "@/graph/layout";
import type { Edge } from "@/graph/model";
import { bounds, type Curve, Obstacles, type Rect, route } from "@/graph/route";
import type { ShownNode, Visible } from "@/graph/visible";

export interface Card extends Rect {
  id: string;
  node: ShownNode;
  rows: readonly Row[];
}

export interface Wire {
  id: string;
  from: string; // ids of cards
  to: string;
  link: ColumnLink | null; // of a wire between columns
  curve: Curve;
  box: readonly [number, number, number, number];
}

export interface Frame extends Rect {
  id: string;
  label: string;
}

/** The band of a namespace, across the whole picture. */
export interface Lane {
  namespace: string;
  top: number;
  bottom: number;
}

export interface Scene {
  cards: ReadonlyMap<string, Card>;
  wires: readonly Wire[];
  frames: readonly Frame[];
  lanes: readonly Lane[];
  extent: Rect;
}

export const EMPTY_SCENE: Scene = {
  cards: new Map(),
  wires: [],
  frames: [],
  lanes: [],
  extent: { x: 0, y: 0, width: 0, height: 0 },
};

export interface Shown {
  visible: Visible;
  rows: ReadonlyMap<string, readonly Row[]>;
  columns: ColumnLineage;
  trace: Trace | null;
}

export function rowsOfAll(
  visible: Visible,
  isOpen: (id: string) => boolean,
  trace: Trace | null,
): Map<string, readonly Row[]> {
  return new Map([...visible.nodes].map(([id, node]) => [id, rowsOf(node, isOpen(id), trace)]));
}

/** The layout's boxes and links. */
export function boxesOf({ visible, rows }: Shown, lanesBy: "namespace" | null): Box[] {
  return [...visible.nodes.values()].map((node) => ({
    id: node.id,
    height: heightOf(rows.get(node.id) ?? []),
    block: node.kind === "job" ? node.parent : null,
    lane: lanesBy === null ? null : node.namespace,
  }));
}

/** Those between columns as links of their cards, each once: twenty columns make no other layout than one. */
export function linksOf(shown: Shown): Link[] {
  const links: Link[] = [...shown.visible.edges];
  const seen = new Set<string>();
  for (const { from, to } of columnWires(shown)) {
    const key = `${from.card} ${to.card}`;
    if (seen.has(key)) continue;
    seen.add(key);
    links.push({ from: from.card, to: to.card });
  }
  return links;
}

export function sceneOf(shown: Shown, places: Places, hasLanes = false): Scene {
  const cards = new Map<string, Card>();
  for (const [id, node] of shown.visible.nodes) {
    const place = places.get(id);
    const rows = shown.rows.get(id) ?? [];
    if (place !== undefined) cards.set(id, { id, node, rows, ...place, width: CARD_WIDTH, height: heightOf(rows) });
  }
  const obstacles = new Obstacles(cards.values());
  const wires: Wire[] = [];
  const wire = (from: Card, fromY: number, to: Card, toY: number, link: ColumnLink | null) => {
    // Columns' wires pass the same gaps: side by side, so that one can follow each.
    const aside = link === null ? 0 : ((wires.length % 5) - 2) * 2.4;
    const curve = route(from, from.y + fromY, to, to.y + toY, obstacles, aside);
    const id = link === null ? `${from.id} ${to.id}` : `${link.from} ${link.to}`;
    wires.push({ id, from: from.id, to: to.id, link, curve, box: bounds(curve) });
  };
  for (const edge of shown.visible.edges) {
    const [from, to] = [cards.get(edge.from), cards.get(edge.to)];
    if (from !== undefined && to !== undefined) wire(from, HEAD_Y, to, HEAD_Y, null);
  }
  for (const { from, to, link } of columnWires(shown)) {
    const [left, right] = [cards.get(from.card), cards.get(to.card)];
    if (left !== undefined && right !== undefined) wire(left, rowY(from.row), right, rowY(to.row), link);
  }
  const frames = hasLanes ? [] : framesOf(cards, shown.visible.edges);
  return { cards, wires, frames, lanes: hasLanes ? lanesOf(cards) : [], extent: extentOf(cards.values()) };
}

interface End {
  card: string;
  row: number;
}

/** Links between columns that both have a row. */
function* columnWires({ rows, columns }: Shown): Generator<{ from: End; to: End; link: ColumnLink }> {
  if (columns.links.length === 0) return;
  const ends = new Map<string, End>();
  for (const [card, list] of rows) {
    list.forEach((row, index) => {
      if (row.id !== null) ends.set(row.id, { card, row: index });
    });
  }
  for (const link of columns.links) {
    const [from, to] = [ends.get(link.from), ends.get(link.to)];
    if (from !== undefined && to !== undefined && from.card !== to.card) yield { from, to, link };
  }
}

const AROUND = 14;
const TITLE = 22;

/** Frames around the children of a parent job and the data that only they touch, where no stranger stands between. */
function framesOf(cards: ReadonlyMap<string, Card>, edges: readonly Edge[]): Frame[] {
  const members = new Map<string, Card[]>();
  for (const [id, parent] of parentsOf(cards, edges)) {
    const card = cards.get(id);
    if (parent === null || card === undefined) continue;
    append(members, parent, card);
  }
  const frames: Frame[] = [];
  for (const [id, inside] of members) {
    const jobs = inside.filter((card) => card.node.kind === "job");
    const ours = new Set(inside.map((card) => card.id));
    const rect = grown(extentOf(inside));
    const hasStrangers = [...cards.values()].some((card) => !ours.has(card.id) && meet(rect, card));
    if (!hasStrangers && jobs.length > 1) frames.push({ id, label: nameOfParent(id, jobs), ...rect });
  }
  return frames;
}

/** Of a job its parent; of a dataset the parent of all jobs that touch it, null if they have none or several. */
function parentsOf(cards: ReadonlyMap<string, Card>, edges: readonly Edge[]): Map<string, string | null> {
  const parents = new Map<string, string | null>();
  for (const { id, node } of cards.values()) if (node.kind === "job") parents.set(id, node.parent);
  const jobs = new Map(parents);
  for (const { from, to } of edges) {
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      if (jobs.has(one)) continue;
      const parent = jobs.get(other) ?? null;
      parents.set(one, parents.has(one) && parents.get(one) !== parent ? null : parent);
    }
  }
  return parents;
}

/** Bands reach to the middle between those beside them. */
function lanesOf(cards: ReadonlyMap<string, Card>): Lane[] {
  const byNamespace = new Map<string, Card[]>();
  for (const card of cards.values()) {
    byNamespace.set(card.node.namespace, [...(byNamespace.get(card.node.namespace) ?? []), card]);
  }
  const bands = [...byNamespace].map(([namespace, inside]) => ({ namespace, rect: extentOf(inside) }));
  bands.sort((a, b) => a.rect.y - b.rect.y);
  return bands.map(({ namespace, rect }, index) => {
    const [above, below] = [bands[index - 1]?.rect, bands[index + 1]?.rect];
    const bottom = rect.y + rect.height;
    return {
      namespace,
      top: above === undefined ? rect.y - AROUND : (above.y + above.height + rect.y) / 2,
      bottom: below === undefined ? bottom + AROUND : (bottom + below.y) / 2,
    };
  });
}

function nameOfParent(id: string, inside: readonly Card[]): string {
  return id.slice(`job:${inside[0]?.node.namespace ?? ""}:`.length);
}

const grown = (rect: Rect): Rect => ({
  x: rect.x - AROUND,
  y: rect.y - AROUND - TITLE,
  width: rect.width + 2 * AROUND,
  height: rect.height + 2 * AROUND + TITLE,
});

export function meet(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

export function extentOf(rects: Iterable<Rect>): Rect {
  let [left, top, right, bottom] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];
  for (const rect of rects) {
    left = Math.min(left, rect.x);
    top = Math.min(top, rect.y);
    right = Math.max(right, rect.x + rect.width);
    bottom = Math.max(bottom, rect.y + rect.height);
  }
  if (!Number.isFinite(left)) return { x: 0, y: 0, width: 0, height: 0 };
  return { x: left, y: top, width: right - left, height: bottom - top };
}
