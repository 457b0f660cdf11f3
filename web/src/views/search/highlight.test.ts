import { describe, expect, it } from "vitest";
import { pieces } from "@/views/search/highlight";

describe("highlights", () => {
  it("takes the hits out of the text around them", () => {
    expect(pieces("rest/<em>ord</em>ers")).toEqual([
      { text: "rest/", hit: false },
      { text: "ord", hit: true },
      { text: "ers", hit: false },
    ]);
  });

  it("keeps a script in a name a text", () => {
    expect(pieces("&lt;script&gt;<em>alert</em>(&#x27;1&#x27;) &amp;amp;")).toEqual([
      { text: "<script>", hit: false },
      { text: "alert", hit: true },
      { text: "('1') &amp;", hit: false },
    ]);
  });
});
