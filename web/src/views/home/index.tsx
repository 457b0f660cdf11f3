import { Group, SegmentedControl } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useRef, useState } from "react";
import { api, body } from "@/api/client";
import type { LiveChange } from "@/api/schema";
import { LiveBadge } from "@/parts/LiveBadge";
import { Page } from "@/parts/Page";
import { QueryResult } from "@/parts/QueryResult";
import { useLiveChanges } from "@/parts/useLiveChanges";
import { useParam } from "@/parts/useParam";
import { Engines } from "@/views/home/Engines";
import { Overview } from "@/views/home/Overview";
import { count, type Rate, SECONDS } from "@/views/home/rate";

// Most servers have events.
const GettingStarted = lazy(() => import("@/parts/GettingStarted"));

const REFETCH_MS = 2000; // however many events come in
const VIEWS = [
  { value: "", label: "Overview" },
  { value: "engines", label: "Engines" },
];

/** What is going on now. */
export default function HomeView() {
  const [view, setView] = useParam("view");
  const cache = useQueryClient();
  const [rate, setRate] = useState<Rate>({ second: 0, counts: Array<number>(SECONDS).fill(0) });
  const isScheduled = useRef(false);
  const refetch = () => {
    if (isScheduled.current) return;
    isScheduled.current = true;
    setTimeout(() => {
      isScheduled.current = false;
      void cache.invalidateQueries({ queryKey: ["jobs"] });
      void cache.invalidateQueries({ queryKey: ["late"] });
      void cache.invalidateQueries({ queryKey: ["health"] });
    }, REFETCH_MS);
  };
  const live = useLiveChanges({
    onChanges: (changes: LiveChange[]) => {
      setRate((before) => count(before, changes.length, Date.now()));
      refetch();
    },
    onResync: refetch,
  });
  const health = useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => body(api.GET("/healthz", { signal })),
    refetchInterval: 10_000,
  });
  return (
    <Page
      title="Home"
      about="What is running, what failed, what is late."
      actions={
        <Group gap="sm">
          <LiveBadge state={live} />
          <SegmentedControl size="xs" aria-label="View" data={VIEWS} value={view ?? ""} onChange={setView} />
        </Group>
      }
    >
      <QueryResult query={health} lines={10}>
        {({ position }) => {
          if (position === 0) {
            return (
              <Suspense>
                <GettingStarted />
              </Suspense>
            );
          }
          return view === "engines" ? <Engines /> : <Overview rate={rate} />;
        }}
      </QueryResult>
    </Page>
  );
}
