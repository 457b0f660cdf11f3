/** What became of a dataset's columns over time. */

import type { DatasetVersion, Field } from "@/api/schema";

export interface FieldsChanged {
  added: Field[];
  removed: Field[];
  retyped: { name: string; before: string | null; after: string | null }[];
}

export interface SchemaStep {
  version: DatasetVersion; // the first with this schema
  change: FieldsChanged | null; // null: nothing is known before it
}

export function fieldsChanged(before: Field[], after: Field[]): FieldsChanged {
  const old = new Map(before.map((field) => [field.name, field]));
  const names = new Set(after.map((field) => field.name));
  const retyped = after.flatMap(({ name, type }) => {
    const was = old.get(name);
    return was !== undefined && was.type !== type ? [{ name, before: was.type, after: type }] : [];
  });
  return {
    added: after.filter((field) => !old.has(field.name)),
    removed: before.filter((field) => !names.has(field.name)),
    retyped,
  };
}

/** The moments at which the schema became another one, the latest first. `complete`: nothing older exists. */
export function schemaSteps(versions: DatasetVersion[], complete: boolean): SchemaStep[] {
  const steps: SchemaStep[] = [];
  let last: DatasetVersion | undefined;
  for (const version of versions.toReversed()) {
    if (version.currentSchemaVersion === null || version.currentSchemaVersion === last?.currentSchemaVersion) continue;
    const change = last === undefined ? null : fieldsChanged(last.fields, version.fields);
    last = version;
    // Another order or description is no other schema to people.
    if (change === null || size(change) > 0) steps.push({ version, change });
  }
  // The oldest fetched version is a step only if nothing older exists.
  const shown = complete ? steps : steps.filter((step) => step.change !== null);
  return shown.toReversed();
}

function size(change: FieldsChanged): number {
  return change.added.length + change.removed.length + change.retyped.length;
}
