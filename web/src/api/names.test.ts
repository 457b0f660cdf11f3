import { expect, test } from "vitest";
import { graphAddress, kindOf, shortName } from "@/api/names";

test("the last part of a path is the name that people know", () => {
  expect(shortName("rest/default/orders")).toBe("orders");
  expect(shortName("/lab/wh/default/orders/")).toBe("orders");
  expect(shortName("orders")).toBe("orders");
  expect(shortName("/")).toBe("/");
});

test("node ids tell what they stand for", () => {
  expect(kindOf("job:a:b")).toBe("job");
  expect(kindOf("dataset:a:b")).toBe("dataset");
  expect(kindOf("datasetField:a:b:c")).toBe("column");
});

test("node ids survive in an address", () => {
  const id = "dataset:s3://a b:rest/ä&x=1";
  expect(new URLSearchParams(graphAddress(id).split("?")[1]).get("node")).toBe(id);
});
