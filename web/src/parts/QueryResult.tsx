import { Skeleton, Stack } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorAlert } from "@/parts/ErrorAlert";

interface Props<T> {
  query: UseQueryResult<T>;
  lines?: number; // how much space the answer will take, roughly
  children: (answer: T) => ReactNode;
}

/** The answer of a query, or placeholders while it loads, or its error. */
export function QueryResult<T>({ query, lines = 4, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorAlert error={query.error} retry={() => void query.refetch()} />;
  return (
    <Stack gap="sm" py="sm" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <Skeleton key={line} height={18} width={`${95 - ((line * 17) % 40)}%`} />
      ))}
    </Stack>
  );
}
