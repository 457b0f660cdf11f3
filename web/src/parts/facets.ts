/** Facets hold whatever was sent: nothing in them may be taken for granted. */

export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The facet of that name, if it is an object at all. */
export function facet(facets: unknown, name: string): Json | undefined {
  const value = isJson(facets) ? facets[name] : undefined;
  return isJson(value) ? value : undefined;
}

export function text(json: Json | undefined, key: string): string | undefined {
  const value = json?.[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function number(json: Json | undefined, key: string): number | undefined {
  const value = json?.[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function list(json: Json | undefined, key: string): Json[] {
  const value = json?.[key];
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** An address that may become a link: never `javascript:`, never a file. */
export function webAddress(address: string | null | undefined): string | undefined {
  return address != null && /^https?:\/\//i.test(address) ? address : undefined;
}

/** `name (type)` of everyone in the ownership facet. */
export function owners(facets: unknown): string[] {
  return list(facet(facets, "ownership"), "owners").flatMap((owner) => {
    const name = text(owner, "name");
    const type = text(owner, "type");
    return name === undefined ? [] : [type === undefined ? name : `${name} (${type.toLowerCase()})`];
  });
}
