/** Small graphs for tests. Names that begin with `j` are jobs. */

import { connected, type Lineage, type LineageNode, type RunState } from "@/graph/model";

export const idOf = (name: string) => (name.startsWith("j") ? `job:ns:${name}` : `dataset:ns:${name}`);

interface Extra {
  parents?: Record<string, string>;
  states?: Record<string, RunState>;
  fields?: Record<string, string[]>;
}

/** `a>j1>b` are edges; several chains are separated by spaces. */
export function graph(chains: string, extra: Extra = {}): Lineage {
  const nodes = new Map<string, LineageNode>();
  const edges: { from: string; to: string }[] = [];
  for (const chain of chains.split(" ")) {
    const names = chain.split(">");
    names.forEach((name, index) => {
      nodes.set(idOf(name), node(name, extra));
      const next = names[index + 1];
      if (next !== undefined) edges.push({ from: idOf(name), to: idOf(next) });
    });
  }
  return connected(nodes, edges);
}

function node(name: string, { parents, states, fields }: Extra): LineageNode {
  const common = { id: idOf(name), namespace: "ns", name, label: name, updatedAt: null };
  if (!name.startsWith("j")) {
    const columns = fields?.[name]?.map((field) => ({ name: field, type: "string", tags: [], description: null }));
    return { ...common, kind: "dataset", type: "DB_TABLE", fields: columns ?? null, tags: [], writtenAt: null };
  }
  const state = states?.[name];
  const parent = parents?.[name];
  return {
    ...common,
    kind: "job",
    type: "BATCH",
    parent: parent === undefined ? null : idOf(parent),
    lastRun: state === undefined ? null : { id: "r", state, startedAt: null, endedAt: null },
  };
}

export const namesOf = (ids: Iterable<string>) =>
  [...ids]
    .map((id) => id.split(":").at(-1))
    .sort()
    .join(" ");
