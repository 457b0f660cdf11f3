import { describe, expect, test } from "vitest";
import { graph, idOf, namesOf } from "@/graph/fixtures";
import { FAN, step, type VisibleOptions, visible } from "@/graph/visible";

const OPTIONS: VisibleOptions = {
  focus: null,
  up: 1,
  down: 1,
  opened: new Set(),
  closed: new Set(),
  whole: new Set(),
  picked: new Set(),
  hidden: new Set(),
  grain: "all",
  collapsed: new Set(),
};

const chain = graph("a>j1>b>j2>c>j3>d");
const shown = (lineage = chain, options: Partial<VisibleOptions> = {}) => visible(lineage, { ...OPTIONS, ...options });
const names = (lineage = chain, options: Partial<VisibleOptions> = {}) => namesOf(shown(lineage, options).nodes.keys());

describe("around a focus", () => {
  test("depths up and down count jobs, and are separate", () => {
    expect(names(chain, { focus: idOf("b"), up: 1, down: 0 })).toBe("a b j1");
    expect(names(chain, { focus: idOf("b"), up: 0, down: 1 })).toBe("b c j2");
    expect(names(chain, { focus: idOf("b"), up: 0, down: 2 })).toBe("b c d j2 j3");
  });

  test("a job comes with what it reads and writes", () => {
    expect(names(chain, { focus: idOf("j2"), up: 0, down: 0 })).toBe("b c j2");
  });

  test("siblings are not shown: what else the source feeds is another question", () => {
    expect(names(graph("a>j1>b a>j2>c"), { focus: idOf("b"), up: 5, down: 5 })).toBe("a b j1");
  });

  test("one step more can be opened, and steps from there", () => {
    const options = {
      focus: idOf("a"),
      up: 0,
      down: 1,
      opened: new Set([step("down", idOf("c")), step("down", idOf("b"))]),
    };
    expect(names(chain, options)).toBe("a b c d j1 j2 j3");
  });

  test("where there is more, its number is known", () => {
    const { missing } = shown(chain, { focus: idOf("b"), up: 0, down: 1 });
    expect(missing.get(step("up", idOf("b")))).toEqual({ all: 1, shown: 0 });
    expect(missing.get(step("down", idOf("c")))).toEqual({ all: 1, shown: 0 });
    expect(missing.size).toBe(2);
  });

  test("an unknown node shows nothing", () => {
    expect(names(chain, { focus: idOf("x") })).toBe("");
  });
});

test("closing a step takes away what is only there because of it", () => {
  const lineage = graph("a>j1>b>j2>c z>j2");
  expect(names(lineage, { closed: new Set([step("down", idOf("b"))]) })).toBe("a b c j1 j2 z");
  expect(names(chain, { closed: new Set([step("down", idOf("b"))]) })).toBe("a b j1");
  expect(names(chain, { focus: idOf("d"), up: 5, closed: new Set([step("down", idOf("a"))]) })).toContain("d");
});

test("hidden nodes go, and so do their edges", () => {
  const { nodes, edges } = shown(chain, { hidden: new Set([idOf("b")]) });
  expect(nodes.has(idOf("b"))).toBe(false);
  expect(edges.some((edge) => edge.from === idOf("b") || edge.to === idOf("b"))).toBe(false);
});

describe("granularity", () => {
  test("only jobs: from job to job over the dataset between", () => {
    const { nodes, edges } = shown(chain, { grain: "jobs" });
    expect(namesOf(nodes.keys())).toBe("j1 j2 j3");
    expect(edges.map(({ from, to }) => namesOf([from, to]))).toEqual(["j1 j2", "j2 j3"]);
  });

  test("only datasets: from dataset to dataset over the job between", () => {
    const { edges } = shown(chain, { grain: "datasets" });
    expect(edges.map(({ from, to }) => namesOf([from, to]))).toEqual(["a b", "b c", "c d"]);
  });
});

describe("groups", () => {
  const lineage = graph("a>j1>b>j2>c", { parents: { j1: "japp", j2: "japp" } });

  test("a closed group is one card, with the edges of its members", () => {
    const { nodes, edges } = shown(lineage, { collapsed: new Set([idOf("japp")]) });
    expect(namesOf(nodes.keys())).toBe("a b c japp");
    const group = nodes.get(idOf("japp"));
    expect(group?.kind === "group" && group.members.length).toBe(2);
    expect(edges.map(({ from, to }) => `${namesOf([from])}>${namesOf([to])}`).sort()).toEqual([
      "a>japp",
      "b>japp",
      "japp>b",
      "japp>c",
    ]);
  });

  test("an open one shows its members, and not the parent that has no data of its own", () => {
    const withParent = graph("a>j1>b japp", { parents: { j1: "japp" } });
    expect(names(withParent)).toBe("a b j1");
  });
});

describe("wide fans", () => {
  const wide = graph(Array.from({ length: 60 }, (_, n) => `a>j${n}`).join(" "), { states: { j59: "FAILED" } });

  test("only some are shown, what failed among them, and the number of all is known", () => {
    const { nodes, missing } = shown(wide, { focus: idOf("a") });
    expect(nodes.size).toBe(FAN + 1);
    expect(nodes.has(idOf("j59"))).toBe(true);
    expect(missing.get(step("down", idOf("a")))).toEqual({ all: 60, shown: FAN });
  });

  test("single ones or all of them can be shown", () => {
    expect(shown(wide, { focus: idOf("a"), picked: new Set([idOf("j50"), idOf("j51")]) }).nodes.size).toBeGreaterThan(
      FAN + 1,
    );
    expect(shown(wide, { focus: idOf("a"), whole: new Set([step("down", idOf("a"))]) }).nodes.size).toBe(61);
  });
});

test("what is too large is not drawn", () => {
  const huge = graph(Array.from({ length: 10_001 }, (_, n) => `a${n}`).join(" "));
  const { isTooLarge, nodes } = shown(huge);
  expect(isTooLarge).toBe(true);
  expect(nodes.size).toBe(0);
});
