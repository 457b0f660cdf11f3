import { describe, expect, it } from "vitest";
import type { DatasetVersion, Field } from "@/api/schema";
import { fieldsChanged, schemaSteps } from "@/views/details/schemas";

function fields(...columns: string[]): Field[] {
  return columns.map((each) => {
    const [name = "", type = "INT"] = each.split(":");
    return { name, type, tags: [], description: null };
  });
}

function version(schema: string | null, ...columns: string[]): DatasetVersion {
  return { version: `v of ${schema}`, currentSchemaVersion: schema, fields: fields(...columns) } as DatasetVersion;
}

describe("schemas", () => {
  it("finds added, removed and retyped columns", () => {
    const change = fieldsChanged(fields("id", "price:DOUBLE", "note"), fields("id", "price:STRING", "day"));
    expect(change.added.map((field) => field.name)).toEqual(["day"]);
    expect(change.removed.map((field) => field.name)).toEqual(["note"]);
    expect(change.retyped).toEqual([{ name: "price", before: "DOUBLE", after: "STRING" }]);
  });

  it("has one step for each other schema, the latest first", () => {
    const versions = [version("b", "id", "day"), version("b", "id", "day"), version(null), version("a", "id")];
    const steps = schemaSteps(versions, true);
    expect(steps.map((step) => step.change?.added.map((field) => field.name) ?? "first")).toEqual([["day"], "first"]);
  });

  it("does not take the oldest fetched version for the first of all", () => {
    expect(schemaSteps([version("a", "id")], false)).toEqual([]);
  });
});
