import { expect, test } from "vitest";
import { kindOf, shortName } from "@/api/names";

test("the last part of a path is the name that people know", () => {
  expect(shortName("rest/default/orders")).toBe("orders");
  expect(shortName("/lab/wh/default/orders/")).toBe("orders");
  expect(shortName("orders")).toBe("orders");
  expect(shortName("/")).toBe("/");
});

test("a node id begins with what it stands for", () => {
  expect(kindOf("job:a:b")).toBe("job");
  expect(kindOf("dataset:a:b")).toBe("dataset");
  expect(kindOf("datasetField:a:b:c")).toBe("column");
});
