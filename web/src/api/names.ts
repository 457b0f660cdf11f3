/** Short names of jobs and datasets, and what a node id stands for. */

/** The kind of thing that a node id stands for. */
export function kindOf(nodeId: string): "job" | "dataset" | "column" {
  if (nodeId.startsWith("job:")) return "job";
  return nodeId.startsWith("datasetField:") ? "column" : "dataset";
}

/** The last part of a path such as `rest/default/orders`; names without slashes stay whole. */
export function shortName(name: string): string {
  const parts = name.split("/").filter((part) => part !== "");
  return parts.at(-1) ?? name;
}
