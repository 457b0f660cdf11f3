/** Events as they were sent. The API finds them by time only; the rest is filtered here. */

import { useQuery } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import type { Name } from "@/api/schema";
import { facet, isJson, type Json, text } from "@/parts/facets";

export interface EventKey {
  at: string;
  type: string;
  runId: string | null;
}

/** The event of that moment, type and run; null if it is not there. */
export function useEventAt(key: EventKey | null) {
  return useQuery({
    queryKey: ["event", key],
    enabled: key !== null,
    staleTime: Number.POSITIVE_INFINITY, // an event never changes
    queryFn: async ({ signal }) => {
      if (key === null) return null;
      const query = { ...around(key.at), limit: 500 };
      const { events } = await body(api.GET("/api/v1/events/lineage", { params: { query }, signal }));
      const candidates = (events as unknown[]).filter(isJson);
      return candidates.find((event) => runOf(event) === key.runId && typeOf(event) === key.type) ?? null;
    },
  });
}

/** The millisecond of a moment: events have nanoseconds, browsers only milliseconds. */
export function around(at: string): { after: string; before: string } {
  const ms = Math.floor(Date.parse(at));
  return { after: new Date(ms).toISOString(), before: new Date(ms + 1).toISOString() };
}

export function runOf(event: Json): string | null {
  return text(isJson(event.run) ? event.run : undefined, "runId") ?? null;
}

/** As the live stream calls it: STATIC for events without a run. */
export function typeOf(event: Json): string {
  if (!isJson(event.run)) return "STATIC";
  return (text(event, "eventType") ?? "OTHER").toUpperCase();
}

export function producerOf(event: Json | null): string | undefined {
  return event === null ? undefined : text(event, "producer");
}

export function jobOf(event: Json): Name | null {
  return nameIn(facet(event, "job"));
}

/** The datasets that an event reads (`inputs`), writes (`outputs`) or is about (`dataset`). */
export function datasetsOf(event: Json, key: "inputs" | "outputs" | "dataset"): Name[] {
  const value = event[key];
  const all = Array.isArray(value) ? value : [value];
  return all.filter(isJson).flatMap((each) => nameIn(each) ?? []);
}

function nameIn(json: Json | undefined): Name | null {
  const name = text(json, "name");
  return name === undefined ? null : { namespace: text(json, "namespace") ?? "", name };
}
