import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { LiveChange } from "@/api/schema";
import { useLiveChanges } from "@/parts/useLiveChanges";

const REFETCH_MS = 2000; // however many events name it
const ABOUT = new Set<unknown>(["job", "dataset", "runs", "run", "freshness", "resolved"]);

/** Fetches again what is shown of a node when an event names it. */
export function useRefetchOnChange(nodeId: string | null): void {
  const cache = useQueryClient();
  const isScheduled = useRef(false);
  const refetch = () => {
    if (isScheduled.current) return;
    isScheduled.current = true;
    setTimeout(() => {
      isScheduled.current = false;
      void cache.invalidateQueries({ predicate: ({ queryKey }) => ABOUT.has(queryKey[0]) });
    }, REFETCH_MS);
  };
  useLiveChanges({
    onChanges: (changes) => {
      if (nodeId !== null && changes.some((change) => names(change, nodeId))) refetch();
    },
    onResync: refetch,
  });
}

function names(change: LiveChange, nodeId: string): boolean {
  const touched = [change.job, change.dataset, ...change.inputs, ...change.outputs, ...change.changed];
  // Of a column the dataset is named.
  return touched.some(
    (each) => each === nodeId || (each !== null && nodeId.startsWith(`datasetField${each.slice(7)}:`)),
  );
}
