import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { namespacesQuery } from "@/api/queries";
import { colour, colourNumbers } from "@/graph/namespaceColours";
import type { Scheme } from "@/theme/states";

/** The colour of each namespace. The oldest choose first, so that a new one changes nobody's colour. */
export function useNamespaceColours(scheme: Scheme): (namespace: string) => string {
  const namespaces = useQuery(namespacesQuery());
  const numbers = useMemo(() => {
    const oldestFirst = [...(namespaces.data?.namespaces ?? [])].sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    return colourNumbers(oldestFirst.map(({ name }) => name));
  }, [namespaces.data]);
  return useCallback((namespace: string) => colour(numbers, namespace, scheme), [numbers, scheme]);
}
