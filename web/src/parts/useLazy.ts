import { type ComponentType, useState } from "react";

/** A component that is loaded on request, null until then, and a function that requests it. */
export function useLazy<P>(load: () => Promise<{ default: ComponentType<P> }>): [ComponentType<P> | null, () => void] {
  const [loaded, setLoaded] = useState<{ Part: ComponentType<P> } | null>(null);
  const request = () => {
    load().then(
      (file) => setLoaded({ Part: file.default }),
      () => undefined, // without the server nothing changes; the next request tries again
    );
  };
  return [loaded?.Part ?? null, request];
}
