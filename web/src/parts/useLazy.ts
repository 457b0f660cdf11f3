import { type ComponentType, useState } from "react";

/** A component that is loaded when it is wanted, and a function that says so; null until it is there. */
export function useLazy<P>(load: () => Promise<{ default: ComponentType<P> }>): [ComponentType<P> | null, () => void] {
  const [loaded, setLoaded] = useState<{ Part: ComponentType<P> } | null>(null);
  const request = () => {
    load().then(
      (file) => setLoaded({ Part: file.default }),
      () => undefined, // without the server it stays as it is, and is tried again when it is next wanted
    );
  };
  return [loaded?.Part ?? null, request];
}
