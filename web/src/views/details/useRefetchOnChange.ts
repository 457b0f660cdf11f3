import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { LiveChange } from "@/api/schema";
import { useLiveChanges } from "@/parts/useLiveChanges";

const ASK_AGAIN_MS = 2000; // however many events name it
const ABOUT = new Set<unknown>(["job", "dataset", "runs", "run", "freshness", "resolved"]);

/** What is shown of a node is asked for again when an event names it. */
export function useRefetchOnChange(nodeId: string | null): void {
  const cache = useQueryClient();
  const isAsking = useRef(false);
  const askAgain = () => {
    if (isAsking.current) return;
    isAsking.current = true;
    setTimeout(() => {
      isAsking.current = false;
      void cache.invalidateQueries({ predicate: ({ queryKey }) => ABOUT.has(queryKey[0]) });
    }, ASK_AGAIN_MS);
  };
  useLiveChanges({
    onChanges: (changes) => {
      if (nodeId !== null && changes.some((change) => names(change, nodeId))) askAgain();
    },
    onResync: askAgain,
  });
}

function names(change: LiveChange, nodeId: string): boolean {
  const touched = [change.job, change.dataset, ...change.inputs, ...change.outputs, ...change.changed];
  // Of a column the dataset is named.
  return touched.some(
    (each) => each === nodeId || (each !== null && nodeId.startsWith(`datasetField${each.slice(7)}:`)),
  );
}
