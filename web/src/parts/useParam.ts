import { useSearchParams } from "wouter";
import { navigate } from "wouter/use-browser-location";

export type Changes = Record<string, string | null | undefined>;

/** Changes parameters of the page's address and leaves the others. `null` and "" take one out. */
export function setParams(changes: Changes, { replace = true }: { replace?: boolean } = {}): void {
  const after = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value == null || value === "") after.delete(name);
    else after.set(name, value);
  }
  const query = after.toString();
  navigate(query === "" ? location.pathname : `${location.pathname}?${query}`, { replace });
}

/** One parameter of the page's address, as state. What is ticked in a view is not a step to go back to. */
export function useParam(name: string): [string | null, (value: string | null) => void] {
  const [params] = useSearchParams();
  return [params.get(name), (value) => setParams({ [name]: value })];
}
