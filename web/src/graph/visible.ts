/** What of the known graph is shown: around the focus, step by step, by granularity, with groups open or closed. */

import { type Edge, edgesOf, type JobNode, type Lineage, type LineageNode } from "@/graph/model";

export type Way = "up" | "down";
export type Grain = "all" | "jobs" | "datasets";

/** One step from a node, as `up` or `down` and its id. */
export type Step = `${Way} ${string}`;
export const step = (way: Way, id: string): Step => `${way} ${id}`;

export interface VisibleOptions {
  focus: string | null; // null: everything
  up: number; // how many jobs away
  down: number;
  opened: ReadonlySet<Step>; // one step more than the depth
  closed: ReadonlySet<Step>; // what is only there because of this node is not shown
  whole: ReadonlySet<Step>; // wide fans that are shown with all their members
  picked: ReadonlySet<string>; // members of wide fans that are shown
  hidden: ReadonlySet<string>;
  grain: Grain;
  collapsed: ReadonlySet<string>; // parent jobs that are shown as one card
}

export interface GroupNode {
  id: string;
  kind: "group";
  namespace: string;
  name: string;
  label: string;
  members: readonly JobNode[];
}

export type ShownNode = LineageNode | GroupNode;

/** How many neighbours there are, and how many of them are shown. */
export interface Fan {
  all: number;
  shown: number;
}

export interface Visible {
  nodes: ReadonlyMap<string, ShownNode>;
  edges: readonly Edge[];
  /** By step; only where something is missing. */
  missing: ReadonlyMap<Step, Fan>;
  isTooLarge: boolean;
}

/** Neighbours of one node that are shown at first: more of them say nothing at a glance. */
export const FAN = 24;

/** Twice what the page is made to be fluent with. Beyond that a picture says nothing any more. */
export const MOST_NODES = 10_000;
const MOST_EDGES = 40_000;

export function visible(lineage: Lineage, options: VisibleOptions): Visible {
  const shown = options.focus === null ? everything(lineage) : around(lineage, options.focus, options);
  for (const id of options.hidden) if (id !== options.focus) shown.delete(id);
  for (const closed of options.closed) peel(lineage, shown, closed, options.focus);
  const missing = missingFrom(lineage, shown);
  if (shown.size > MOST_NODES) return { nodes: new Map(), edges: [], missing, isTooLarge: true };
  const nodes = new Map<string, ShownNode>();
  const standsFor = new Map<string, string>(); // whose card a node is shown in
  for (const id of shown) {
    const node = lineage.nodes.get(id);
    if (node === undefined) continue;
    const parent = node.kind === "job" ? node.parent : null;
    if (parent !== null && options.collapsed.has(parent)) {
      standsFor.set(id, parent);
      nodes.set(parent, withMember(nodes.get(parent), parent, node as JobNode));
    } else {
      standsFor.set(id, id);
      nodes.set(id, node);
    }
  }
  const ofGrain = new Map([...nodes].filter(([, node]) => isOfGrain(node, options.grain)));
  const edges = merged(shortened(lineage, shown, options.grain), standsFor, ofGrain);
  return { nodes: ofGrain, edges, missing, isTooLarge: edges.length > MOST_EDGES };
}

/** A parent job without inputs and outputs of its own is shown as the frame of its children, if it has any. */
function everything(lineage: Lineage): Set<string> {
  const parents = new Set<string>();
  for (const node of lineage.nodes.values()) if (node.kind === "job" && node.parent !== null) parents.add(node.parent);
  const isFrame = (id: string) => parents.has(id) && !lineage.sources.has(id) && !lineage.targets.has(id);
  return new Set([...lineage.nodes.keys()].filter((id) => !isFrame(id)));
}

function around(lineage: Lineage, focus: string, options: VisibleOptions): Set<string> {
  const shown = new Set<string>();
  if (!lineage.nodes.has(focus)) return shown;
  walk(lineage, focus, "up", options.up, options, shown);
  walk(lineage, focus, "down", options.down, options, shown);
  // An opened node may be there only because another one was opened.
  for (let before = -1; before !== shown.size; ) {
    before = shown.size;
    for (const opened of options.opened) {
      const { way, id } = parse(opened);
      if (shown.has(id)) walk(lineage, id, way, 1, options, shown);
    }
  }
  return shown;
}

/** `depth` counts jobs that are entered, as the server does. */
function walk(
  lineage: Lineage,
  start: string,
  way: Way,
  depth: number,
  options: VisibleOptions,
  shown: Set<string>,
): void {
  const best = new Map([[start, 0]]);
  let layer = [start];
  shown.add(start);
  while (layer.length > 0) {
    const next: string[] = [];
    for (const id of layer) {
      const soFar = best.get(id) ?? 0;
      for (const neighbour of chosen(lineage, id, way, options)) {
        const away = soFar + (lineage.nodes.get(neighbour)?.kind === "job" ? 1 : 0);
        if (away > depth || away >= (best.get(neighbour) ?? Number.POSITIVE_INFINITY)) continue;
        best.set(neighbour, away);
        shown.add(neighbour);
        next.push(neighbour);
      }
    }
    layer = next;
  }
}

/** The neighbours that are worth showing first: what fails or runs, then what was active last. */
function chosen(lineage: Lineage, id: string, way: Way, options: VisibleOptions): readonly string[] {
  const all = neighbours(lineage, id, way);
  if (all.length <= FAN || options.whole.has(step(way, id))) return all;
  const ranked = [...all].sort(
    (a, b) => rank(lineage.nodes.get(b)) - rank(lineage.nodes.get(a)) || latest(lineage, a, b),
  );
  return [...ranked.slice(0, FAN), ...ranked.slice(FAN).filter((other) => options.picked.has(other))];
}

function rank(node: LineageNode | undefined): number {
  if (node?.kind !== "job") return 0;
  return node.lastRun?.state === "FAILED" ? 2 : node.lastRun?.state === "RUNNING" ? 1 : 0;
}

function latest(lineage: Lineage, a: string, b: string): number {
  return (lineage.nodes.get(b)?.updatedAt ?? "").localeCompare(lineage.nodes.get(a)?.updatedAt ?? "");
}

/** Takes away what is shown only because of this step. */
function peel(lineage: Lineage, shown: Set<string>, closed: Step, focus: string | null): void {
  const { way, id } = parse(closed);
  if (!shown.has(id)) return;
  const back: Way = way === "up" ? "down" : "up";
  const gone = new Set<string>();
  const waiting = [...neighbours(lineage, id, way)];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === id || next === focus || gone.has(next) || !shown.has(next)) continue;
    const holds = neighbours(lineage, next, back).some((other) => other !== id && shown.has(other) && !gone.has(other));
    if (holds) continue;
    gone.add(next);
    waiting.push(...neighbours(lineage, next, way));
  }
  for (const other of gone) shown.delete(other);
}

function missingFrom(lineage: Lineage, shown: ReadonlySet<string>): Map<Step, Fan> {
  const missing = new Map<Step, Fan>();
  for (const id of shown) {
    for (const way of ["up", "down"] as const) {
      const all = neighbours(lineage, id, way);
      const count = all.filter((other) => shown.has(other)).length;
      if (count < all.length) missing.set(step(way, id), { all: all.length, shown: count });
    }
  }
  return missing;
}

/** Edges over what the granularity leaves out: from job to job, or from dataset to dataset. */
function* shortened(lineage: Lineage, shown: ReadonlySet<string>, grain: Grain): Generator<Edge> {
  if (grain === "all") {
    for (const edge of edgesOf(lineage)) if (shown.has(edge.from) && shown.has(edge.to)) yield edge;
    return;
  }
  const middle = grain === "jobs" ? "dataset" : "job";
  for (const id of shown) {
    if (lineage.nodes.get(id)?.kind !== middle) continue;
    for (const from of neighbours(lineage, id, "up")) {
      if (!shown.has(from)) continue;
      for (const to of neighbours(lineage, id, "down")) if (shown.has(to)) yield { from, to };
    }
  }
}

function merged(
  edges: Iterable<Edge>,
  standsFor: ReadonlyMap<string, string>,
  nodes: ReadonlyMap<string, ShownNode>,
): Edge[] {
  const seen = new Set<string>();
  const distinct: Edge[] = [];
  for (const edge of edges) {
    const from = standsFor.get(edge.from);
    const to = standsFor.get(edge.to);
    if (from === undefined || to === undefined || from === to || !nodes.has(from) || !nodes.has(to)) continue;
    const key = `${from} ${to}`;
    if (seen.has(key)) continue;
    seen.add(key);
    distinct.push({ from, to });
    if (distinct.length > MOST_EDGES) break;
  }
  return distinct;
}

function withMember(group: ShownNode | undefined, id: string, member: JobNode): GroupNode {
  if (group?.kind === "group") return { ...group, members: [...group.members, member] };
  const name = id.slice(`job:${member.namespace}:`.length);
  return { id, kind: "group", namespace: member.namespace, name, label: name, members: [member] };
}

function isOfGrain(node: ShownNode, grain: Grain): boolean {
  if (grain === "all") return true;
  return grain === "datasets" ? node.kind === "dataset" : node.kind !== "dataset";
}

export function neighbours(lineage: Lineage, id: string, way: Way): readonly string[] {
  return (way === "up" ? lineage.sources : lineage.targets).get(id) ?? [];
}

export function parse(text: Step): { way: Way; id: string } {
  const space = text.indexOf(" ");
  return { way: text.slice(0, space) as Way, id: text.slice(space + 1) };
}
