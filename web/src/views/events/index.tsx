import { ActionIcon, Alert, Box, Button, Group, MultiSelect, Text, Tooltip } from "@mantine/core";
import { IconActivity, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { api, body } from "@/api/client";
import { Empty } from "@/parts/Empty";
import { ErrorAlert } from "@/parts/ErrorAlert";
import { FilterBox } from "@/parts/FilterBox";
import { isJson } from "@/parts/facets";
import { plural } from "@/parts/format";
import { LiveBadge } from "@/parts/LiveBadge";
import { Page } from "@/parts/Page";
import { useLiveChanges } from "@/parts/useLiveChanges";
import { setParams, useParam } from "@/parts/useParam";
import { EventList } from "@/views/events/EventList";
import { EventPanel } from "@/views/events/EventPanel";
import classes from "@/views/events/events.module.css";
import { matches, merged, type Row, rowOfChange, rowOfEvent } from "@/views/events/rows";

const TYPES = ["START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER", "STATIC", "EDIT"];
const PAGE = 50;
const KEPT = 1000; // of the live tail: hours at an ordinary rate, and little memory

/** Every event as it comes in, and what it changed. */
export default function EventsView() {
  const [paused, setPaused] = useState(false);
  const [live, setLive] = useState<Row[]>([]);
  const [missed, setMissed] = useState(0);
  const [type, setType] = useParam("type");
  const [words, setWords] = useParam("filter");
  const [picked] = useParam("event");
  const types = useMemo(() => type?.split(",") ?? [], [type]);
  const past = useInfiniteQuery({
    queryKey: ["events"],
    initialPageParam: 0,
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: PAGE, offset: pageParam };
      return body(api.GET("/api/v1/events/lineage", { params: { query }, signal }));
    },
    getNextPageParam: (last, pages) => {
      const read = pages.length * PAGE;
      return read < last.totalCount ? read : undefined;
    },
    staleTime: Number.POSITIVE_INFINITY, // the stream brings the rest
    gcTime: 0,
  });
  const state = useLiveChanges({
    onChanges: (changes) => {
      if (paused) setMissed((count) => count + changes.length);
      else setLive((before) => [...changes.map(rowOfChange).reverse(), ...before].slice(0, KEPT));
    },
    onResync: () => void past.refetch(),
  });
  const resume = () => {
    setPaused(false);
    setMissed(0);
    setLive([]);
    void past.refetch();
  };
  const older = useMemo(
    () => past.data?.pages.flatMap((page) => (page.events as unknown[]).filter(isJson).map(rowOfEvent)) ?? [],
    [past.data],
  );
  const rows = useMemo(() => unique(merged(live, older)), [live, older]);
  const shown = useMemo(() => rows.filter((row) => matches(row, { types, words: words ?? "" })), [rows, types, words]);
  const chosen = picked === null ? undefined : rows.find((row) => row.key === picked);
  const total = past.data?.pages.at(-1)?.totalCount ?? 0;
  return (
    <Page
      title="Events"
      about="Events as they arrive, and what each of them changed."
      actions={
        <Group gap="sm">
          <LiveBadge state={state} paused={paused} />
          <Tooltip label={paused ? "Resume" : "Pause"}>
            <ActionIcon
              variant="default"
              aria-label={paused ? "Resume" : "Pause"}
              onClick={() => (paused ? resume() : setPaused(true))}
            >
              {paused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
            </ActionIcon>
          </Tooltip>
        </Group>
      }
    >
      <Group gap="sm">
        <MultiSelect
          size="xs"
          miw={220}
          aria-label="Filter by type"
          placeholder={types.length === 0 ? "All types" : undefined}
          data={TYPES}
          value={types}
          onChange={(values) => setType(values.join(","))}
          clearable
        />
        <FilterBox label="Job, dataset, run or producer" width={280} value={words ?? ""} onChange={setWords} />
        <Text size="sm" c="dimmed" role="status">
          {shown.length === rows.length
            ? plural(rows.length, "event")
            : `${shown.length} of ${plural(rows.length, "event")}`}{" "}
          loaded
        </Text>
      </Group>
      {missed > 0 && (
        <Alert py={6} color="blue" variant="light">
          {plural(missed, "new event")} since you paused.{" "}
          <Button size="compact-xs" variant="default" onClick={resume}>
            Resume
          </Button>
        </Alert>
      )}
      {past.isError && <ErrorAlert error={past.error} retry={() => void past.refetch()} />}
      <Box className={classes.split} data-open={chosen !== undefined}>
        <div>
          <EventList rows={shown} picked={picked} onPick={pick} />
          {shown.length === 0 && past.isSuccess && (
            <Empty Icon={IconActivity} title={rows.length === 0 ? "No events yet" : "No matching events"}>
              {rows.length === 0
                ? "Home shows how to send the first one. Events appear here as soon as they are stored."
                : "Remove a filter, or load older events."}
            </Empty>
          )}
          {past.hasNextPage && (
            <Button
              mt="sm"
              size="xs"
              variant="default"
              loading={past.isFetchingNextPage}
              onClick={() => void past.fetchNextPage()}
            >
              Load older events ({(total - older.length).toLocaleString("en")} left)
            </Button>
          )}
        </div>
        {chosen !== undefined && <EventPanel row={chosen} onClose={() => pick(null)} />}
      </Box>
    </Page>
  );
}

/** The same function for every row and every rendering, so that rows are drawn once. */
function pick(key: string | null): void {
  setParams({ event: key });
}

/** Reading further back while events come in gives some of them twice. */
function unique(rows: Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.key, row])).values()];
}
