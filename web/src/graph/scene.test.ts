import { expect, test } from "vitest";
import { NO_COLUMNS } from "@/graph/columns";
import { toJson, toMermaid, toSvg } from "@/graph/exports";
import { graph, idOf } from "@/graph/fixtures";
import { highlightCard } from "@/graph/highlight";
import { historyOf, nextMark, thinned } from "@/graph/history";
import { HitTest } from "@/graph/hitTest";
import { laneOrder } from "@/graph/lanes";
import { layout } from "@/graph/layout";
import { compared, runAt } from "@/graph/moments";
import { along, speed } from "@/graph/motion";
import { colour, colourNumbers, contrast } from "@/graph/namespaceColours";
import { PALETTES } from "@/graph/palette";
import { boxesOf, linksOf, rowsOfAll, sceneOf } from "@/graph/scene";
import { visible } from "@/graph/visible";
import { START, visibleOptions } from "@/state/graphState";

function scene(chains: string, extra: Parameters<typeof graph>[1] = {}) {
  const shown = visible(graph(chains, extra), visibleOptions(START));
  const all = { visible: shown, rows: rowsOfAll(shown, () => false, null), columns: NO_COLUMNS, trace: null };
  return sceneOf(all, layout({ boxes: boxesOf(all, null), links: linksOf(all), lanes: [], before: null }));
}

const STYLE = { palette: PALETTES.light, colourOf: () => "#000000", stateOf: () => null };

test("wires begin at the right side of one card and end at the left side of another", () => {
  const { cards, wires } = scene("a>j1");
  const [from, to] = [cards.get(idOf("a")), cards.get(idOf("j1"))];
  const curve = wires[0]?.curve;
  expect(curve?.[0]).toBe((from?.x ?? 0) + (from?.width ?? 0));
  expect(curve?.at(-2)).toBe(to?.x);
});

test("a long wire goes around the cards between", () => {
  const { cards, wires } = scene("a>j1>b>j2>c a>j2");
  const long = wires.find((wire) => wire.from === idOf("a") && wire.to === idOf("j2"));
  const hits = new HitTest({ cards, wires: [], frames: [], lanes: [], extent: { x: 0, y: 0, width: 0, height: 0 } });
  const curve = long?.curve ?? new Float64Array();
  for (let n = 8; n + 1 < curve.length - 2; n += 6)
    expect(hits.card(curve[n] as number, curve[n + 1] as number)).toBeNull();
});

test("cards and wires under the pointer are hit, wires also from near", () => {
  const made = scene("a>j1");
  const hits = new HitTest(made);
  const card = made.cards.get(idOf("a"));
  if (card === undefined) throw new Error();
  expect(hits.card(card.x + 5, card.y + 5)?.id).toBe(idOf("a"));
  expect(hits.card(card.x - 5, card.y + 5)).toBeNull();
  const beside = card.x + card.width + 30;
  expect(hits.wire(beside, card.y + card.height / 2, 8)?.from).toBe(idOf("a"));
  expect(hits.wire(beside, card.y + card.height / 2 + 60, 8)).toBeNull();
  expect(hits.cardsIn({ x: card.x - 10, y: card.y - 10, width: 20, height: 20 }).map((one) => one.id)).toEqual([
    idOf("a"),
  ]);
});

test("a card's highlight is everything upstream and downstream, and nothing beside it", () => {
  const highlight = highlightCard(scene("a>j1>b>j2>c a>j3>d"), idOf("b"));
  expect([...highlight.cards].map((id) => id.split(":").at(-1)).sort()).toEqual(["a", "b", "c", "j1", "j2"]);
});

test("children of one application stand in a frame", () => {
  const { frames } = scene("a>j1>b>j2>c", { parents: { j1: "japp", j2: "japp" } });
  expect(frames.map((frame) => frame.label)).toEqual(["japp"]);
});

test("a frame holds the data that only its jobs touch, and is not drawn around strangers", () => {
  const { frames, extent } = scene("a>j1>b>j2>c", { parents: { j1: "japp", j2: "japp" } });
  expect(frames[0]?.width).toBeGreaterThan(extent.width);
  expect(scene("a>j1>b>j3>c>j2>d", { parents: { j1: "japp", j2: "japp" } }).frames).toEqual([]);
});

test("lanes that exchange much stand beside each other", () => {
  const box = (id: string, lane: string) => ({ id, lane, height: 1, block: null });
  const boxes = [box("1", "a"), box("2", "b"), box("3", "c")];
  expect(laneOrder(boxes, [{ from: "1", to: "3" }, { from: "3", to: "2" }])).toEqual(["a", "c", "b"]); // biome-ignore format: short
});

test("exports have what is shown, and no name breaks them", () => {
  const made = scene('<b>&"x\u0000>j1>z');
  const svg = toSvg(made, STYLE);
  expect(svg).toContain("&lt;b");
  expect(svg).not.toContain("\u0000");
  expect(toMermaid(made)).toContain("flowchart LR");
  expect(toMermaid(made)).toContain("-->");
  expect(JSON.parse(toJson(made)).edges.length).toBe(made.wires.length);
});

test("every colour is readable on its card (WCAG AA)", () => {
  for (const scheme of ["light", "dark"] as const) {
    const names = Array.from({ length: 12 }, (_, n) => `ns${n}`);
    const used = new Set(names.map((name) => colour(colourNumbers(names), name, scheme)));
    expect(used.size).toBe(12);
    for (const one of used) expect(contrast(one, PALETTES[scheme].card), one).toBeGreaterThanOrEqual(4.5);
  }
});

test("a new namespace changes nobody's colour", () => {
  const [before, after] = [colourNumbers(["a", "b", "c"]), colourNumbers(["a", "b", "c", "d"])];
  for (const [name, number] of before) expect(after.get(name)).toBe(number);
});

test("two moments: what came, what went, what changed", () => {
  const { lineage, cardMarks, wireMarks } = compared(graph("a>j1>b"), graph("a>j1 c>j1"), [idOf("a")]);
  expect(lineage.nodes.size).toBe(4);
  expect(Object.fromEntries(cardMarks)).toEqual({
    [idOf("a")]: "changed",
    [idOf("b")]: "removed",
    [idOf("c")]: "added",
  });
  expect(wireMarks.get(`${idOf("j1")} ${idOf("b")}`)).toBe("removed");
  expect(wireMarks.get(`${idOf("c")} ${idOf("j1")}`)).toBe("added");
});

test("the last run as it was at a moment", () => {
  const run = { id: "r", state: "FAILED", startedAt: "2026-01-01T10:00:00Z", endedAt: "2026-01-01T11:00:00Z" } as const;
  expect(runAt(run, "2026-01-01T09:00:00Z")).toBeNull();
  expect(runAt(run, "2026-01-01T10:30:00Z")?.state).toBe("RUNNING");
  expect(runAt(run, "2026-01-01T12:00:00Z")?.state).toBe("FAILED");
  expect(runAt(run, null)?.state).toBe("FAILED");
});

test("history has marks in their order, and thins them out to what the eye can separate", () => {
  const run = {
    job: { namespace: "n", name: "j" },
    startedAt: "2026-01-01T10:00:00Z",
    endedAt: "2026-01-01T11:00:00Z",
    state: "FAILED",
  };
  const history = historyOf([run as never], [], Date.parse("2026-01-02T00:00:00Z"));
  expect(history.marks.map((mark) => mark.kind)).toEqual(["run", "failure"]);
  expect(nextMark(history.marks, history.range[1], -1)?.kind).toBe("failure");
  expect(nextMark(history.marks, history.range[0], 1)?.kind).toBe("run");
  expect(thinned(history.marks, ...history.range, 1).map((mark) => mark.kind)).toEqual(["failure"]);
});

test("dots move faster where more flows, evenly spaced", () => {
  expect(speed(null)).toBeLessThan(speed(100));
  expect(speed(100)).toBeLessThan(speed(10_000));
  const dots = [...along([[0, 0], [100, 0]], 0)]; // biome-ignore format: short
  expect(dots.map(([x]) => x)).toEqual([0, 46, 92]);
});
