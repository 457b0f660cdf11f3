/** Addresses that facets name: the engine's own page, the source code, the log. */

import { isJson, webAddress } from "@/parts/facets";
import { sentence } from "@/parts/format";

export interface FacetLink {
  name: string;
  href: string;
}

// Names that people know better than the field's.
const KNOWN: Record<string, string> = {
  uiWebUrl: "Spark UI",
  historyUrl: "Spark History Server",
  proxyUrl: "Spark UI through the cluster manager",
  log_url: "Airflow log",
  "sourceCodeLocation.url": "Source code",
  "sourceCodeLocation.repoUrl": "Repository",
  flinkUrl: "Flink",
  connectUrl: "Kafka Connect",
};

const DEEPEST = 3;
const MOST = 12;

/** Every web address in facets, except where a facet says who made it and by which schema. */
export function linksIn(facets: unknown): FacetLink[] {
  const links = new Map<string, FacetLink>();
  if (isJson(facets)) for (const [name, value] of Object.entries(facets)) collect(value, [name], links);
  return [...links.values()].slice(0, MOST);
}

function collect(value: unknown, path: string[], links: Map<string, FacetLink>): void {
  const key = path.at(-1) ?? "";
  if (key.startsWith("_") || links.size >= MOST) return;
  if (typeof value === "string" && value.length < 2000) {
    const href = /url|uri|link|href/i.test(key) ? webAddress(value) : undefined;
    if (href !== undefined && !links.has(href)) links.set(href, { href, name: nameOf(path) });
  } else if (isJson(value) && path.length < DEEPEST) {
    for (const [name, inner] of Object.entries(value)) collect(inner, [...path, name], links);
  }
}

function nameOf(path: string[]): string {
  const key = path.at(-1) ?? "";
  const known = KNOWN[path.slice(-2).join(".")] ?? KNOWN[key];
  return known ?? sentence(path.join(" ").replace(/([a-z])([A-Z])/g, "$1 $2"));
}

/** Who made an event, without the address's trimmings: `OpenLineage 1.53.0 integration/spark`. */
export function producerName(producer: string): string {
  const tree = /github\.com\/([^/]+)\/([^/]+)\/tree\/([^/]+)\/(.+)$/.exec(producer);
  if (tree !== null) return `${tree[2]} ${tree[3]} ${tree[4]}`;
  return producer.replace(/^https?:\/\//, "");
}
