/** Everything that one sees of the graph, as an address: what is shared is what is seen. */

import type { Grain, Step, VisibleOptions } from "@/graph/visible";

export interface Position {
  x: number;
  y: number;
  zoom: number;
}

export interface GraphState {
  node: string | null; // the focus; null: everything
  up: number;
  down: number;
  opened: ReadonlySet<Step>;
  closed: ReadonlySet<Step>;
  whole: ReadonlySet<Step>;
  picked: ReadonlySet<string>;
  hidden: ReadonlySet<string>;
  collapsed: ReadonlySet<string>;
  grain: Grain;
  hasColumns: boolean; // on all cards
  cards: ReadonlySet<string>; // whose columns are the other way than `hasColumns` says
  column: string | null; // whose lineage is highlighted
  namespaces: ReadonlySet<string>; // only these; empty: all
  pathFrom: string | null; // only what lies between these two
  pathTo: string | null;
  at: string | null; // the graph as it was
  against: string | null; // compared with another moment
  hasTime: boolean; // the slider
  hasLanes: boolean;
  hasLabels: boolean;
  selected: string | null;
  details: string | null;
  view: Position | null;
}

export const DEPTH = 2;
export const MOST_DEPTH = 20;

export const START: GraphState = {
  node: null,
  up: DEPTH,
  down: DEPTH,
  opened: new Set(),
  closed: new Set(),
  whole: new Set(),
  picked: new Set(),
  hidden: new Set(),
  collapsed: new Set(),
  grain: "all",
  hasColumns: false,
  cards: new Set(),
  column: null,
  namespaces: new Set(),
  pathFrom: null,
  pathTo: null,
  at: null,
  against: null,
  hasTime: false,
  hasLanes: false,
  hasLabels: false,
  selected: null,
  details: null,
  view: null,
};

// The names in the address. They are part of links that people keep: never change them.
const TEXTS = { node: "node", column: "column", pathFrom: "from", pathTo: "to", at: "at", against: "against", selected: "selected", details: "details" } as const; // biome-ignore format: a table
const SETS = { opened: "open", closed: "close", whole: "all", picked: "pick", hidden: "hide", collapsed: "group", cards: "card", namespaces: "namespace" } as const; // biome-ignore format: a table
const SWITCHES = { hasColumns: "columns", hasTime: "time", hasLanes: "lanes", hasLabels: "labels" } as const;
const GRAINS: readonly Grain[] = ["all", "jobs", "datasets"];

type Mutable = { -readonly [key in keyof GraphState]: GraphState[key] };

/** What the address says; what it does not say, or wrongly, is as at the start. */
export function readState(search: string): GraphState {
  const params = new URLSearchParams(search);
  const state: Mutable = { ...START };
  for (const [key, name] of Object.entries(TEXTS)) state[key as keyof typeof TEXTS] = params.get(name) || null;
  for (const [key, name] of Object.entries(SETS)) {
    const values = params.getAll(name).filter((value) => value !== "");
    if (values.length > 0) Object.assign(state, { [key]: new Set(values) });
  }
  for (const [key, name] of Object.entries(SWITCHES)) state[key as keyof typeof SWITCHES] = params.get(name) === "1";
  state.up = depth(params.get("up"));
  state.down = depth(params.get("down"));
  const grain = params.get("show") as Grain;
  if (GRAINS.includes(grain)) state.grain = grain;
  const [x, y, zoom] = (params.get("view") ?? "").split(",").map(Number);
  if (x !== undefined && y !== undefined && zoom !== undefined && zoom > 0 && [x, y, zoom].every(Number.isFinite)) {
    state.view = { x, y, zoom };
  }
  return state;
}

/** Without the question mark; what is as at the start is left out. */
export function writeState(state: GraphState): string {
  const params = new URLSearchParams();
  for (const [key, name] of Object.entries(TEXTS)) {
    const value = state[key as keyof typeof TEXTS];
    if (value !== null) params.set(name, value);
  }
  if (state.up !== DEPTH) params.set("up", String(state.up));
  if (state.down !== DEPTH) params.set("down", String(state.down));
  if (state.grain !== "all") params.set("show", state.grain);
  for (const [key, name] of Object.entries(SETS)) {
    for (const value of [...state[key as keyof typeof SETS]].sort()) params.append(name, value);
  }
  for (const [key, name] of Object.entries(SWITCHES)) if (state[key as keyof typeof SWITCHES]) params.set(name, "1");
  if (state.view !== null) {
    params.set("view", `${Math.round(state.view.x)},${Math.round(state.view.y)},${state.view.zoom.toFixed(3)}`);
  }
  return params.toString();
}

/** The same set with the value in it or, if it was there, without. */
export function toggled<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  const other = new Set(set);
  if (!other.delete(value)) other.add(value);
  return other;
}

/** Whether two addresses show the same subject, so that cards may stay where they are. */
export function subjectOf(state: GraphState): string {
  return JSON.stringify([
    state.node,
    state.pathFrom,
    state.pathTo,
    [...state.namespaces].sort(),
    state.hasLanes,
    state.grain,
  ]);
}

export function visibleOptions(state: GraphState): VisibleOptions {
  const isPath = state.pathFrom !== null && state.pathTo !== null;
  return { ...state, focus: isPath ? null : state.node };
}

function depth(text: string | null): number {
  const number = Number(text ?? DEPTH);
  return Number.isInteger(number) && number >= 0 ? Math.min(number, MOST_DEPTH) : DEPTH;
}
