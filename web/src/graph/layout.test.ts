import { describe, expect, test } from "vitest";
import { type Box, CARD_WIDTH, GAP_Y, type Link, layout, type Places, STEP_X, type Task } from "@/graph/layout";
import { apart } from "@/graph/place";

const HEIGHT = 60;

function task(links: [string, string][], rest: Partial<Task> = {}): Task {
  const ids = [...new Set(links.flat())];
  return {
    boxes: ids.map((id) => ({ id, height: HEIGHT, block: null, lane: null })),
    links: links.map(([from, to]) => ({ from, to })),
    lanes: [],
    before: null,
    ...rest,
  };
}

function random(nodes: number, edges: number, seed = 1): Task {
  let state = seed;
  const next = (below: number) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
  const boxes: Box[] = Array.from({ length: nodes }, (_, n) => ({
    id: `n${n}`,
    height: HEIGHT,
    block: null,
    lane: null,
  }));
  const links: Link[] = Array.from({ length: edges }, () => {
    const from = next(nodes - 1);
    return { from: `n${from}`, to: `n${Math.min(nodes - 1, from + 1 + next(40))}` };
  });
  return { boxes, links, lanes: [], before: null };
}

function overlaps(places: Places, boxes: readonly Box[]): string[] {
  const heights = new Map(boxes.map((box) => [box.id, box.height]));
  const overlapping: string[] = [];
  const all = [...places].sort(([, a], [, b]) => a.x - b.x || a.y - b.y);
  all.forEach(([id, place], index) => {
    const next = all[index + 1];
    if (next !== undefined && next[1].x === place.x && next[1].y < place.y + (heights.get(id) ?? 0))
      overlapping.push(id);
  });
  return overlapping;
}

const x = (places: Places, id: string) => (places.get(id)?.x ?? Number.NaN) / STEP_X;

describe("from scratch", () => {
  test("data flows from left to right, each node right of all of its sources", () => {
    const places = layout(task([["a", "b"], ["b", "c"], ["a", "c"]])); // biome-ignore format: short
    expect([x(places, "a"), x(places, "b"), x(places, "c")]).toEqual([0, 1, 2]);
  });

  test("a source that is used late stands where it is used", () => {
    const places = layout(task([["a", "b"], ["b", "c"], ["c", "d"], ["z", "d"]])); // biome-ignore format: short
    expect(x(places, "z")).toBe(2);
  });

  test("cycles and loops do no harm", () => {
    const places = layout(task([["a", "b"], ["b", "c"], ["c", "a"], ["b", "b"]])); // biome-ignore format: short
    expect(places.size).toBe(3);
    expect(new Set(["a", "b", "c"].map((id) => x(places, id))).size).toBe(3);
  });

  test("nothing overlaps, whatever the graph", () => {
    for (const seed of [1, 2, 3]) {
      const given = random(200, 500, seed);
      expect(overlaps(layout(given), given.boxes)).toEqual([]);
    }
  });

  test("a chain is straight", () => {
    const places = layout(task([["a", "b"], ["b", "c"], ["c", "d"]])); // biome-ignore format: short
    expect(new Set([...places.values()].map((place) => place.y)).size).toBe(1);
  });

  test("parts that are not connected do not mingle", () => {
    const places = layout(task([["a", "b"], ["c", "d"]])); // biome-ignore format: short
    const boxes = ["a", "b", "c", "d"].map((id) => ({ id, height: HEIGHT, block: null, lane: null }));
    expect(overlaps(places, boxes)).toEqual([]);
    expect(places.get("a")?.y).toBe(places.get("b")?.y);
  });

  test("lanes do not overlap", () => {
    const given = task([["a", "b"], ["b", "c"], ["a", "d"], ["d", "c"], ["c", "e"]], { lanes: ["one", "two"] }); // biome-ignore format: short
    const boxes = given.boxes.map((box) => ({ ...box, lane: "bd".includes(box.id) ? "one" : "two" }));
    const places = layout({ ...given, boxes });
    const bottom = Math.max(...["b", "d"].map((id) => (places.get(id)?.y ?? 0) + HEIGHT));
    expect(Math.min(...["a", "c", "e"].map((id) => places.get(id)?.y ?? 0))).toBeGreaterThanOrEqual(bottom);
  });
});

describe("pinned", () => {
  test("what stands does not move when others come", () => {
    const given = random(1000, 3000);
    const before = layout(given);
    const boxes = [...given.boxes];
    const links = [...given.links];
    for (let n = 0; n < 5; n++) {
      boxes.push({ id: `new${n}`, height: HEIGHT, block: null, lane: null });
      links.push({ from: `n${n * 150}`, to: `new${n}` }, { from: `new${n}`, to: `n${n * 150 + 90}` });
    }
    const after = layout({ ...given, boxes, links, before });
    const moved = [...before].filter(([id, place]) => after.get(id)?.x !== place.x || after.get(id)?.y !== place.y);
    expect(moved).toEqual([]);
    expect(after.size).toBe(1005);
    expect(overlaps(after, boxes)).toEqual([]);
  });

  test("a new card stands right of what it comes from", () => {
    const before = layout(task([["a", "b"]]));
    const after = layout(task([["a", "b"], ["b", "c"]], { before })); // biome-ignore format: short
    expect(x(after, "c")).toBe(2);
    expect(after.get("c")?.y).toBe(after.get("b")?.y);
  });

  test("a card that grows pushes only those under it in its own column", () => {
    const given = task([["a", "b"], ["a", "c"], ["b", "d"], ["c", "d"]]); // biome-ignore format: short
    const before = layout(given);
    const upper = (before.get("b")?.y ?? 0) < (before.get("c")?.y ?? 0) ? "b" : "c";
    const lower = upper === "b" ? "c" : "b";
    const boxes = given.boxes.map((box) => (box.id === upper ? { ...box, height: 300 } : box));
    const after = layout({ ...given, boxes, before });
    for (const id of ["a", "d", upper]) expect(after.get(id)).toEqual(before.get(id));
    expect(after.get(lower)?.y).toBeGreaterThanOrEqual((before.get(upper)?.y ?? 0) + 300);
  });
});

test("neighbours that would overlap share the place between them", () => {
  expect(apart([0, 0], [10, 10], 2)).toEqual([-6, 6]);
  expect(apart([0, 100], [10, 10], 2)).toEqual([0, 100]);
});

test("a step leaves room beside a card", () => {
  expect(STEP_X).toBeGreaterThan(CARD_WIDTH + GAP_Y);
});

test("a large graph is laid out, with edges between columns among it", () => {
  const places = layout(random(5000, 12_000));
  expect(places.size).toBe(5000);
});
