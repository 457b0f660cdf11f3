/** What the canvas and exported pictures are painted with. The cards' own colours are in CSS. */

import type { Scheme } from "@/graph/colours";
import type { RunState } from "@/graph/model";

export interface Palette {
  background: string;
  card: string;
  border: string;
  text: string;
  dim: string;
  wire: string;
  lit: string;
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
    lit: "#0b7285",
    indirect: "#9c36b5",
    frame: "#dee2e6",
    added: "#1f7a34",
    removed: "#c92a2a",
    changed: "#a05a00",
    states: { NEW: "#495057", RUNNING: "#1864ab", COMPLETED: "#1f7a34", FAILED: "#c92a2a", ABORTED: "#a05a00" },
  },
  dark: {
    background: "#161719",
    card: "#242424",
    border: "#45484d",
    text: "#e9ecef",
    dim: "#b8bdc4",
    wire: "#6b737c",
    lit: "#3bc9db",
    indirect: "#e599f7",
    frame: "#34373b",
    added: "#69db7c",
    removed: "#ff8787",
    changed: "#ffc078",
    states: { NEW: "#adb5bd", RUNNING: "#74c0fc", COMPLETED: "#69db7c", FAILED: "#ff8787", ABORTED: "#ffc078" },
  },
};

export const STATE_WORDS: Readonly<Record<RunState, string>> = {
  NEW: "New",
  RUNNING: "Running",
  COMPLETED: "Completed",
  FAILED: "Failed",
  ABORTED: "Aborted",
};
