/** What the canvas and exported pictures are painted with. The cards' own colours are in CSS. */

import type { RunState } from "@/graph/model";
import { markHex, type Scheme, stateHex, usageHex } from "@/theme/states";

export interface Palette {
  background: string;
  card: string;
  border: string;
  text: string;
  dim: string;
  wire: string;
  highlight: string;
  indirect: string;
  frame: string;
  added: string;
  removed: string;
  changed: string;
  states: Readonly<Record<RunState, string>>;
}

export const PALETTES: Readonly<Record<Scheme, Palette>> = {
  light: {
    background: "#f8f9fa",
    card: "#ffffff",
    border: "#ced4da",
    text: "#1f2328",
    dim: "#495057",
    wire: "#98a2ad",
    frame: "#dee2e6",
    ...meanings("light"),
  },
  dark: {
    background: "#161719",
    card: "#242424",
    border: "#45484d",
    text: "#e9ecef",
    dim: "#b8bdc4",
    wire: "#6b737c",
    frame: "#34373b",
    ...meanings("dark"),
  },
};

function meanings(scheme: Scheme) {
  const state = (one: RunState) => stateHex(one, scheme);
  return {
    highlight: usageHex("direct", scheme),
    indirect: usageHex("indirect", scheme),
    added: markHex("added", scheme),
    removed: markHex("removed", scheme),
    changed: markHex("changed", scheme),
    states: {
      NEW: state("NEW"),
      RUNNING: state("RUNNING"),
      COMPLETED: state("COMPLETED"),
      FAILED: state("FAILED"),
      ABORTED: state("ABORTED"),
    },
  };
}
