import type { Impacted } from "@/api/schema";

const COLUMNS = [
  ["distance", (node) => String(node.distance)],
  ["type", (node) => node.type],
  ["namespace", (node) => node.namespace],
  ["name", (node) => node.name],
  ["field", (node) => node.field ?? ""],
  ["use", (node) => node.use],
  ["owners", (node) => node.owners.join("; ")],
  ["last_state", (node) => node.latestRun?.state ?? ""],
  ["last_started", (node) => node.latestRun?.startedAt ?? ""],
  ["runs", (node) => (node.runs === null ? "" : String(node.runs))],
  ["every_seconds", (node) => (node.everySeconds === null ? "" : String(Math.round(node.everySeconds)))],
] satisfies [string, (node: Impacted) => string][];

export function toCsv(nodes: Impacted[]): string {
  const lines = [COLUMNS.map(([name]) => name), ...nodes.map((node) => COLUMNS.map(([, value]) => value(node)))];
  return lines.map((cells) => `${cells.map(cell).join(",")}\r\n`).join("");
}

/** As RFC 4180 wants it. What a spreadsheet would take for a formula gets a quote in front. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
