/** Events of the past, as they were sent, and of the present, as the live stream reports them: one list. */

import type { LiveChange, Name } from "@/api/schema";
import { type Json, text } from "@/parts/facets";
import { datasetsOf, jobOf, producerOf, runOf, typeOf } from "@/parts/rawEvents";

export interface Row {
  key: string; // the same for both kinds of the same event
  at: string;
  type: string;
  runId: string | null;
  subject: { nodeId: string; name: string } | null; // the job, or the dataset that it is about
  inputs: string[];
  outputs: string[];
  producer?: string;
  change?: LiveChange; // what it changed, if it came in while one looked
  event?: Json;
}

export function rowOfEvent(event: Json): Row {
  const at = text(event, "eventTime") ?? "";
  const runId = runOf(event);
  const type = typeOf(event);
  const job = jobOf(event);
  const dataset = datasetsOf(event, "dataset")[0];
  const subject = job === null ? (dataset === undefined ? null : node("dataset", dataset)) : node("job", job);
  return {
    key: keyOf(at, type, runId, subject?.nodeId),
    at,
    type,
    runId,
    subject,
    inputs: datasetsOf(event, "inputs").map((each) => node("dataset", each).nodeId),
    outputs: datasetsOf(event, "outputs").map((each) => node("dataset", each).nodeId),
    producer: producerOf(event),
    event,
  };
}

export function rowOfChange(change: LiveChange): Row {
  const nodeId = change.job ?? change.dataset;
  return {
    key: keyOf(change.eventTime, change.eventType, change.run?.id ?? null, nodeId ?? undefined),
    at: change.eventTime,
    type: change.eventType,
    runId: change.run?.id ?? null,
    subject: nodeId === null ? null : { nodeId, name: afterNamespace(nodeId) },
    inputs: change.inputs,
    outputs: change.outputs,
    change,
  };
}

/** The newest first, each once; of two that are the same the one that knows more stays. */
export function merged(live: Row[], past: Row[]): Row[] {
  const keys = new Set(past.map((row) => row.key));
  const fresh = live.filter((row) => !keys.has(row.key));
  const known = new Map(live.map((row) => [row.key, row.change]));
  // Rows without news stay the same objects, so that they are not rendered again.
  const older = past.map((row) => (known.has(row.key) ? { ...row, change: known.get(row.key) } : row));
  return [...fresh, ...older];
}

export interface EventFilter {
  types: string[]; // none: all
  words: string;
}

export function matches(row: Row, filter: EventFilter): boolean {
  if (filter.types.length > 0 && !filter.types.includes(row.type)) return false;
  const words = filter.words.trim().toLowerCase();
  if (words === "") return true;
  const known = [row.subject?.nodeId, row.runId, row.producer, ...row.inputs, ...row.outputs];
  return known.some((each) => each?.toLowerCase().includes(words));
}

function node(kind: string, { namespace, name }: Name) {
  return { nodeId: `${kind}:${namespace}:${name}`, name };
}

/** Good enough for a label: namespaces may hold colons, and so may names. */
function afterNamespace(nodeId: string): string {
  return nodeId.split(":").at(-1) ?? nodeId;
}

/** To the millisecond: the stream has microseconds, events any precision. */
function keyOf(at: string, type: string, runId: string | null, subject: string | undefined): string {
  return `${Date.parse(at)} ${type} ${runId ?? subject ?? ""}`;
}
