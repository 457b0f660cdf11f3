import { expect, test } from "vitest";
import { graphAddress } from "@/parts/addresses";

const parameters = (address: string) => new URLSearchParams(address.split("?")[1]);

test("node ids survive in an address", () => {
  const id = "dataset:s3://a b:rest/ä&x=1";
  expect(parameters(graphAddress(id)).get("node")).toBe(id);
});

test("of a column the graph shows its dataset, with the lineage of the column", () => {
  const node = { kind: "dataset", nodeId: "dataset:db:t", namespace: "db", name: "t", column: "price" } as const;
  const given = parameters(graphAddress(node, { down: 20 }));
  expect(Object.fromEntries(given)).toEqual({
    node: "dataset:db:t",
    column: "datasetField:db:t:price",
    columns: "1",
    down: "20",
  });
});
