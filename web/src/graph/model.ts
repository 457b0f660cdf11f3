/** The lineage graph as the server knows it: jobs and datasets, and what flows between them. Never changed in place. */

import type { DatasetData, Field, Graph, Job, JobData, Name, Run } from "@/api/schema";

export type RunState = "NEW" | "RUNNING" | "COMPLETED" | "FAILED" | "ABORTED";

export interface LastRun {
  id: string;
  state: RunState;
  startedAt: string | null;
  endedAt: string | null;
}

interface Common {
  id: string;
  namespace: string;
  name: string;
  label: string;
  type: string; // BATCH, STREAM, SERVICE of a job; DB_TABLE, STREAM of a dataset
  updatedAt: string | null;
}

export interface JobNode extends Common {
  kind: "job";
  parent: string | null; // node id of the job that started it
  lastRun: LastRun | null;
}

export interface DatasetNode extends Common {
  kind: "dataset";
  fields: readonly Field[] | null; // null: not fetched yet
  writtenAt: string | null;
  tags: readonly string[];
}

export type LineageNode = JobNode | DatasetNode;

export interface Edge {
  from: string;
  to: string;
}

export interface Lineage {
  nodes: ReadonlyMap<string, LineageNode>;
  /** Neighbours by node id, each once, in the order of their ids. */
  sources: ReadonlyMap<string, readonly string[]>;
  targets: ReadonlyMap<string, readonly string[]>;
}

export const NOTHING: Lineage = { nodes: new Map(), sources: new Map(), targets: new Map() };

export const jobId = (name: Name) => `job:${name.namespace}:${name.name}`;
export const datasetId = (name: Name) => `dataset:${name.namespace}:${name.name}`;

/** Several answers as one graph. Of a node that is in several the first counts. */
export function lineageOf(answers: readonly Graph[]): Lineage {
  const nodes = new Map<string, LineageNode>();
  const edges: Edge[] = [];
  for (const answer of answers) {
    for (const { id, type, data, inEdges, outEdges } of answer.graph) {
      if (!nodes.has(id)) nodes.set(id, type === "JOB" ? job(data as JobData) : dataset(data as DatasetData));
      for (const edge of outEdges) edges.push({ from: edge.origin, to: edge.destination });
      for (const edge of inEdges) edges.push({ from: edge.origin, to: edge.destination });
    }
  }
  return connected(nodes, edges);
}

/** The graph that a list of jobs amounts to. Of datasets only the names are known then. */
export function lineageOfJobs(jobs: readonly Job[]): Lineage {
  const nodes = new Map<string, LineageNode>();
  const edges: Edge[] = [];
  const place = (name: Name) => {
    const id = datasetId(name);
    if (!nodes.has(id)) nodes.set(id, named(name));
    return id;
  };
  for (const data of jobs) {
    const node = job(data);
    nodes.set(node.id, node);
    for (const name of data.inputs) edges.push({ from: place(name), to: node.id });
    for (const name of data.outputs) edges.push({ from: node.id, to: place(name) });
  }
  return connected(nodes, edges);
}

/** A graph of these nodes; edges to others are left out. */
export function connected(nodes: ReadonlyMap<string, LineageNode>, edges: Iterable<Edge>): Lineage {
  const sources = new Map<string, Set<string>>();
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    if (!nodes.has(from) || !nodes.has(to)) continue;
    add(targets, from, to);
    add(sources, to, from);
  }
  return { nodes, sources: sorted(sources), targets: sorted(targets) };
}

/** The same graph with what was learnt about datasets since. */
export function withDatasets(lineage: Lineage, learnt: readonly DatasetData[]): Lineage {
  if (learnt.length === 0) return lineage;
  const nodes = new Map(lineage.nodes);
  for (const data of learnt) {
    const node = dataset(data);
    if (nodes.has(node.id)) nodes.set(node.id, node);
  }
  return { ...lineage, nodes };
}

/** Ids of the jobs that started others. */
export function parentJobs(lineage: Lineage): string[] {
  const parents = [...lineage.nodes.values()].flatMap((node) =>
    node.kind === "job" && node.parent !== null ? [node.parent] : [],
  );
  return [...new Set(parents)];
}

export function* edgesOf(lineage: Lineage): Generator<Edge> {
  for (const [from, targets] of lineage.targets) for (const to of targets) yield { from, to };
}

export function lastRun(run: Run | null): LastRun | null {
  if (run === null) return null;
  return { id: run.id, state: run.state as RunState, startedAt: run.startedAt, endedAt: run.endedAt };
}

function job(data: JobData): JobNode {
  return {
    id: jobId(data),
    kind: "job",
    namespace: data.namespace,
    name: data.name,
    label: data.parentJobName === null ? data.name : data.simpleName,
    type: data.type,
    parent: data.parentJobName === null ? null : jobId({ namespace: data.namespace, name: data.parentJobName }),
    lastRun: lastRun(data.latestRun),
    updatedAt: data.updatedAt,
  };
}

function dataset(data: DatasetData): DatasetNode {
  return {
    ...named(data),
    type: data.type,
    fields: data.fields,
    tags: data.tags,
    writtenAt: data.lastModifiedAt,
    updatedAt: data.updatedAt,
  };
}

function named({ namespace, name }: Name): DatasetNode {
  const id = datasetId({ namespace, name });
  const label = lastPart(name);
  return {
    id,
    kind: "dataset",
    namespace,
    name,
    label,
    type: "",
    fields: null,
    tags: [],
    writtenAt: null,
    updatedAt: null,
  };
}

/** Files and tables of a warehouse have long paths that end in the name that people know. */
function lastPart(name: string): string {
  const parts = name.split("/").filter((part) => part !== "");
  return parts.at(-1) ?? name;
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  const values = sets.get(key);
  if (values === undefined) sets.set(key, new Set([value]));
  else values.add(value);
}

function sorted(sets: Map<string, Set<string>>): Map<string, string[]> {
  return new Map([...sets].map(([key, values]) => [key, [...values].sort()]));
}
