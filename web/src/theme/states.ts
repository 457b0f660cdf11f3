/** Names and colours of states, in light and dark. The only place that gives a state its colour: states.test.ts checks. */

import type { CSSVariablesResolver } from "@mantine/core";
import type { LiveState } from "@/api/live";

export type Scheme = "light" | "dark";
type Colour = Readonly<Record<Scheme, string>>;

// Each has a contrast of 4.5 and more on a card of its scheme (WCAG AA), see the test.
const BLUE: Colour = { light: "#1864ab", dark: "#74c0fc" };
const GREEN: Colour = { light: "#1f7a34", dark: "#69db7c" };
const RED: Colour = { light: "#c92a2a", dark: "#ff8787" };
const AMBER: Colour = { light: "#a05a00", dark: "#ffc078" };
const YELLOW: Colour = { light: "#7a6400", dark: "#ffe066" };
const CYAN: Colour = { light: "#0b7285", dark: "#3bc9db" };
const PURPLE: Colour = { light: "#9c36b5", dark: "#e599f7" };
const GREY: Colour = { light: "#495057", dark: "#adb5bd" };

const COLOURS = {
  // of runs
  NEW: GREY,
  RUNNING: BLUE,
  COMPLETED: GREEN,
  FAILED: RED,
  ABORTED: AMBER,
  // of connectors, where they have others
  PAUSED: YELLOW,
  STOPPED: AMBER,
  RESTARTING: CYAN,
  UNASSIGNED: GREY,
  // of jobs that should have run or reported
  LATE: YELLOW,
  STUCK: YELLOW,
  UNKNOWN: GREY,
} satisfies Record<string, Colour>;

/** What a comparison of two moments found. */
const MARKS = { added: GREEN, removed: RED, changed: AMBER } satisfies Record<string, Colour>;

/** How a column is used: its values are in the result, or it only filters, joins, groups or sorts. */
const USAGES = { direct: CYAN, indirect: PURPLE } satisfies Record<string, Colour>;

export type State = keyof typeof COLOURS;

const STATE_OF_EVENT: Record<string, State> = {
  START: "RUNNING",
  RUNNING: "RUNNING",
  COMPLETE: "COMPLETED",
  FAIL: "FAILED",
  ABORT: "ABORTED",
};

function known(state: string | null | undefined): State {
  return state != null && Object.hasOwn(COLOURS, state) ? (state as State) : "UNKNOWN";
}

/** `RUNNING` → `Running`. */
export function stateName(state: string | null | undefined): string {
  const name = state ?? "UNKNOWN";
  return name.charAt(0).toUpperCase() + name.slice(1).toLowerCase();
}

/** For a canvas or a file, which know no CSS variables. */
export const stateHex = (state: State, scheme: Scheme) => COLOURS[state][scheme];
export const markHex = (mark: keyof typeof MARKS, scheme: Scheme) => MARKS[mark][scheme];
export const usageHex = (usage: keyof typeof USAGES, scheme: Scheme) => USAGES[usage][scheme];

/** For everything else: a CSS variable, which follows the scheme. */
export const stateColour = (state: string | null | undefined) => `var(--state-${known(state).toLowerCase()})`;
export const markColour = (mark: keyof typeof MARKS) => `var(--mark-${mark})`;
export const usageColour = (usage: keyof typeof USAGES) => `var(--usage-${usage})`;

/** Events have the colour of the state that they bring about. */
export const eventColour = (type: string) => stateColour(STATE_OF_EVENT[type]);

/** The connection to the live stream. */
export function connection(state: LiveState, isPaused: boolean): { name: string; colour: string } {
  if (isPaused) return { name: "Paused", colour: stateColour("PAUSED") };
  if (state === "open") return { name: "Live", colour: stateColour("COMPLETED") };
  if (state === "disconnected") return { name: "Disconnected", colour: stateColour("FAILED") };
  return { name: "Connecting…", colour: stateColour("NEW") };
}

function variables(scheme: Scheme): Record<string, string> {
  const named = (prefix: string, colours: Record<string, Colour>) =>
    Object.entries(colours).map(([name, colour]) => [`--${prefix}-${name.toLowerCase()}`, colour[scheme]]);
  return Object.fromEntries([...named("state", COLOURS), ...named("mark", MARKS), ...named("usage", USAGES)]);
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: variables("light"),
  dark: variables("dark"),
});
