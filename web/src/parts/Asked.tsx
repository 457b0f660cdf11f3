import { Skeleton, Stack } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Trouble } from "@/parts/Trouble";

interface Props<T> {
  asked: UseQueryResult<T>;
  lines?: number; // how much room the answer will take, roughly
  children: (answer: T) => ReactNode;
}

/** What was asked for, or a place kept for it, or what went wrong. */
export function Asked<T>({ asked, lines = 4, children }: Props<T>) {
  if (asked.data !== undefined) return children(asked.data);
  if (asked.isError) return <Trouble error={asked.error} retry={() => void asked.refetch()} />;
  return (
    <Stack gap="sm" py="sm" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <Skeleton key={line} height={18} width={`${95 - ((line * 17) % 40)}%`} />
      ))}
    </Stack>
  );
}
