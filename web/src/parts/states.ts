/** How each state of a run looks, everywhere on the page. The word is always beside the colour. */

export interface Look {
  word: string;
  colour: string; // of Mantine's palette
  mark: string; // for charts, a colour that is seen on light and dark
}

const LOOKS: Record<string, Look> = {
  RUNNING: { word: "Running", colour: "blue", mark: "var(--mantine-color-blue-6)" },
  COMPLETED: { word: "Completed", colour: "teal", mark: "var(--mantine-color-teal-6)" },
  FAILED: { word: "Failed", colour: "red", mark: "var(--mantine-color-red-6)" },
  ABORTED: { word: "Aborted", colour: "orange", mark: "var(--mantine-color-orange-6)" },
  NEW: { word: "New", colour: "gray", mark: "var(--mantine-color-gray-6)" },
};

const UNKNOWN: Look = { word: "Unknown", colour: "gray", mark: "var(--mantine-color-gray-6)" };

const STATE_OF_EVENT: Record<string, string> = {
  START: "RUNNING",
  RUNNING: "RUNNING",
  COMPLETE: "COMPLETED",
  FAIL: "FAILED",
  ABORT: "ABORTED",
};

export function lookOf(state: string | null | undefined): Look {
  return LOOKS[state ?? ""] ?? { ...UNKNOWN, word: state ?? UNKNOWN.word };
}

/** Events look like the state that they bring about. */
export function lookOfEvent(type: string): Look {
  const state = STATE_OF_EVENT[type];
  return { ...(state === undefined ? UNKNOWN : lookOf(state)), word: type };
}
