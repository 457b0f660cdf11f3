import { describe, expect, it } from "vitest";
import type { Impacted } from "@/api/schema";
import { toCsv } from "@/views/impact/csv";
import { filtered } from "@/views/impact/filtered";

function node(name: string, more: Partial<Impacted> = {}): Impacted {
  return {
    nodeId: `dataset:db:${name}`,
    type: "DATASET",
    namespace: "db",
    name,
    field: null,
    distance: 1,
    use: "DIRECT",
    owners: [],
    latestRun: null,
    runs: null,
    everySeconds: null,
    ...more,
  };
}

describe("impact as CSV", () => {
  it("has a line for each node", () => {
    const lines = toCsv([node("orders", { owners: ["ann", "bob"], runs: 3, everySeconds: 59.6 })]).split("\r\n");
    expect(lines[0]).toBe("distance,type,namespace,name,field,use,owners,last_state,last_started,runs,every_seconds");
    expect(lines[1]).toBe("1,DATASET,db,orders,,DIRECT,ann; bob,,,3,60");
  });

  it("quotes what would break the table, and defuses formulas", () => {
    expect(toCsv([node('a,"b"\nc')])).toContain('"a,""b""\nc"');
    expect(toCsv([node("=SUM(A1)")])).toContain(",'=SUM(A1),");
  });
});

describe("filter", () => {
  it("keeps what fits, and only levels with something", () => {
    const levels = [
      { distance: 1, nodes: [node("orders", { owners: ["Ann"] }), node("load", { type: "JOB" })] },
      { distance: 2, nodes: [node("stats", { use: "INDIRECT" })] },
    ];
    const names = (filter: Partial<{ kind: string; use: string; words: string }>) =>
      filtered(levels, { kind: "", use: "", words: "", ...filter }).map((level) =>
        level.nodes.map((each) => each.name),
      );
    expect(names({})).toEqual([["orders", "load"], ["stats"]]);
    expect(names({ kind: "JOB" })).toEqual([["load"]]);
    expect(names({ use: "INDIRECT" })).toEqual([["stats"]]);
    expect(names({ words: "ann" })).toEqual([["orders"]]);
  });
});
