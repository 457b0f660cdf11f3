import { expect, test } from "vitest";
import { contrast } from "@/graph/namespaceColours";
import { PALETTES } from "@/graph/palette";
import { connection, cssVariables, eventColour, stateColour, stateName } from "@/theme/states";

const { light, dark } = cssVariables({} as never);

test("every colour is readable on a card of its scheme (WCAG AA)", () => {
  for (const [name, hex] of Object.entries(light)) {
    expect(contrast(hex, PALETTES.light.card), name).toBeGreaterThanOrEqual(4.5);
  }
  for (const [name, hex] of Object.entries(dark)) {
    expect(contrast(hex, PALETTES.dark.card), name).toBeGreaterThanOrEqual(4.5);
  }
});

test("a state has one name, and a colour of its own or that of the unknown", () => {
  expect(["RUNNING", "COMPLETED", "FAILED", "ABORTED"].map(stateName)).toEqual([
    "Running",
    "Completed",
    "Failed",
    "Aborted",
  ]);
  expect([stateName(null), stateColour(null)]).toEqual(["Unknown", "var(--state-unknown)"]);
  expect(stateColour("constructor")).toBe("var(--state-unknown)");
  expect(eventColour("FAIL")).toBe(stateColour("FAILED"));
  expect(connection("open", true).name).toBe("Paused");
});

const SOURCES = import.meta.glob<string>(["/src/**/*.{ts,tsx,css}", "!/src/**/*.test.ts", "!/src/api/schema.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
// Namespaces need as many colours as possible, among them those of states.
const OTHERS = Object.entries(SOURCES).filter(
  ([path]) => path !== "/src/theme/states.ts" && path !== "/src/graph/namespaceColours.ts",
);
const STATE = "(NEW|RUNNING|COMPLETED|FAILED|ABORTED|PAUSED|STOPPED|UNASSIGNED|RESTARTING|STUCK|LATE)";
const COLOUR =
  "(#[0-9a-f]{6}|[\"'](red|orange|yellow|green|teal|blue|cyan|gray|grape)[\"'.]|--mantine-color-(?!text|dimmed|default))";

test("nobody else names the colour of a state", () => {
  expect(OTHERS.length).toBeGreaterThan(100);
  // Grey and the page's own cyan mean other things elsewhere.
  const states = ["--state-running", "--state-completed", "--state-failed", "--state-aborted", "--state-late"] as const;
  const hexes = states.flatMap((name) => [light[name] ?? name, dark[name] ?? name]);
  for (const [path, text] of OTHERS) {
    expect(
      hexes.filter((hex) => text.includes(hex)),
      path,
    ).toEqual([]);
    expect(text.match(new RegExp(`\\b${STATE}\\b[^\\n]*${COLOUR}`, "i"))?.[0], path).toBeUndefined();
    expect(text.match(new RegExp(`data-state=[^{]*{[^}]*${COLOUR}`, "i"))?.[0], path).toBeUndefined();
  }
});
