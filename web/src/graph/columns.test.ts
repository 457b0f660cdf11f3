import { expect, test } from "vitest";
import type { Graph } from "@/api/schema";
import { rowsOf } from "@/graph/cards";
import { columnsOf, trace } from "@/graph/columns";
import { graph, idOf } from "@/graph/fixtures";

type Input = [from: string, kind: "DIRECT" | "INDIRECT", masking?: boolean];

/** Columns as `dataset.field`. */
function answer(inputsOf: Record<string, Input[]>): Graph {
  const graph: unknown = Object.entries(inputsOf).map(([name, inputs]) => {
    const [dataset, field] = name.split(".") as [string, string];
    const inputFields = inputs.map(([from, type, masking]) => {
      const [source, column] = from.split(".");
      return { namespace: "ns", dataset: source, field: column, transformations: [{ type, subtype: "X", masking }] };
    });
    const data = { namespace: "ns", dataset, field, inputFields };
    return { id: name, type: "DATASET_FIELD", data, inEdges: [], outEdges: [] };
  });
  return { graph } as Graph;
}

const id = (name: string) => `datasetField:ns:${name.replace(".", ":")}`;

const lineage = columnsOf([
  answer({
    "b.total": [["a.price", "DIRECT"], ["a.day", "INDIRECT"]], // biome-ignore format: short
    "c.sum": [["b.total", "DIRECT", true]],
    "c.other": [["b.day", "DIRECT"]],
  }),
]);

test("links know their kind and masking", () => {
  const bySource = Object.fromEntries(lineage.links.map((link) => [link.from.split(":").at(-1), link]));
  expect(bySource.price).toMatchObject({ isDirect: true, isMasked: false, how: "X" });
  expect(bySource.day).toMatchObject({ isDirect: true });
  expect(bySource.total).toMatchObject({ isMasked: true });
  expect(lineage.links.find((link) => link.from === id("a.day"))?.isDirect).toBe(false);
});

test("the same link in two answers counts once", () => {
  const twice = columnsOf([answer({ "b.x": [["a.x", "DIRECT"]] }), answer({ "b.x": [["a.x", "DIRECT"]] })]);
  expect(twice.links.length).toBe(1);
});

test("old clients send one word only", () => {
  const old = answer({ "b.x": [["a.x", "DIRECT"]] });
  const data = old.graph[0]?.data as { inputFields: { transformations: unknown[]; transformationType?: string }[] };
  data.inputFields[0] = { ...data.inputFields[0], transformations: [], transformationType: "MASKED" };
  expect(columnsOf([old]).links[0]).toMatchObject({ isDirect: true, isMasked: true });
});

test("the way of a column goes up and down, and is direct only where every link is", () => {
  const way = trace(lineage, id("b.total"));
  expect(way.columns.get(id("a.price"))).toBe(true);
  expect(way.columns.get(id("a.day"))).toBe(false);
  expect(way.columns.get(id("c.sum"))).toBe(true);
  expect(way.columns.has(id("c.other"))).toBe(false);
  expect(way.links.size).toBe(3);
});

test("a card that is closed shows only the columns on the way", () => {
  const nodes = graph("a>j1>b", { fields: { a: ["item", "price", "day"], b: ["total"] } }).nodes;
  const a = nodes.get(idOf("a"));
  if (a === undefined) throw new Error();
  const way = trace(lineage, id("b.total"));
  expect(rowsOf(a, false, way).map((row) => row.text)).toEqual(["price", "day"]);
  expect(rowsOf(a, true, way).map((row) => row.text)).toEqual(["item", "price", "day"]);
  expect(rowsOf(a, false, null)).toEqual([]);
});

test("of very many columns the first are shown, those on the way, and how many more there are", () => {
  const names = Array.from({ length: 30 }, (_, n) => `c${n}`);
  const b = graph("b", { fields: { b: names } }).nodes.get(idOf("b"));
  if (b === undefined) throw new Error();
  const way = trace(columnsOf([answer({ "b.c25": [["a.x", "DIRECT"]] })]), id("a.x"));
  const rows = rowsOf(b, true, way);
  expect(rows.map((row) => row.text).slice(20)).toEqual(["c25", "9 more columns in the details"]);
});
