/** A configuration as people keep it in files, and back. */

import type { Config } from "@/views/connectors/asks";

export interface Read {
  name: string | null;
  config: Config;
}

/** As Connect takes it: `{name, config}`, or the options alone. Throws an Error that says what is wrong. */
export function readConfig(text: string): Read {
  let told: unknown;
  try {
    told = JSON.parse(text);
  } catch (error) {
    throw new Error(`Not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isObject(told)) throw new Error('Expected an object: {"name": …, "config": {…}}, or only the options.');
  const options = isObject(told.config) ? told.config : told;
  const config: Config = {};
  for (const [key, value] of Object.entries(options)) {
    if (value === null) continue;
    if (typeof value === "object") throw new Error(`The value of ${key} must be a string, a number, true or false.`);
    config[key] = String(value);
  }
  const name = typeof told.name === "string" ? told.name : null;
  return { name: name ?? config.name ?? null, config };
}

export function writeConfig(config: Config): string {
  return JSON.stringify(config, null, 2);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
