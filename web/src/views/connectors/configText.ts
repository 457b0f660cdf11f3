/** A configuration as people keep it in files, and back. */

import type { Config } from "@/views/connectors/queries";

export interface Read {
  name: string | null;
  config: Config;
}

/** As Connect takes it: `{name, config}`, or the options alone. Throws an Error that says what is wrong. */
export function readConfig(text: string): Read {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`Not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isObject(json)) throw new Error('Expected an object: {"name": …, "config": {…}}, or only the options.');
  const options = isObject(json.config) ? json.config : json;
  const config: Config = {};
  for (const [key, value] of Object.entries(options)) {
    if (value === null) continue;
    if (typeof value === "object") throw new Error(`The value of ${key} must be a string, a number, true or false.`);
    config[key] = String(value);
  }
  const name = typeof json.name === "string" ? json.name : null;
  return { name: name ?? config.name ?? null, config };
}

export function writeConfig(config: Config): string {
  return JSON.stringify(config, null, 2);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
