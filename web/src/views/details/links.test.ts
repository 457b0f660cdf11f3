import { describe, expect, it } from "vitest";
import { linksIn, producerName } from "@/views/details/links";

describe("links", () => {
  it("finds the engine's own pages, and not who made the facet", () => {
    const facets = {
      spark_applicationDetails: { _producer: "https://x/p", uiWebUrl: "http://driver:4040", applicationId: "local-1" },
      sourceCodeLocation: { _schemaURL: "https://x/s", url: "https://git.example/repo/job.py" },
    };
    expect(linksIn(facets)).toEqual([
      { name: "Spark UI", href: "http://driver:4040" },
      { name: "Source code", href: "https://git.example/repo/job.py" },
    ]);
  });

  it("makes no link of a script or a file", () => {
    expect(linksIn({ evil: { url: "javascript:alert(1)", uri: "file:///etc/passwd" } })).toEqual([]);
    expect(linksIn("nothing")).toEqual([]);
  });

  it("shortens producers", () => {
    const spark = "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark";
    expect(producerName(spark)).toBe("OpenLineage 1.53.0 integration/spark");
    expect(producerName("https://example.org/flink-watcher")).toBe("example.org/flink-watcher");
  });
});
