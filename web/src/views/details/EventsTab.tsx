import { Button, Group, Loader, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import type { Name } from "@/api/schema";
import { ErrorAlert } from "@/parts/ErrorAlert";
import { EventRow } from "@/parts/EventRow";
import { isJson, type Json } from "@/parts/facets";
import { plural } from "@/parts/format";
import { datasetsOf, jobOf, runOf, typeOf } from "@/parts/rawEvents";

interface About {
  job?: Name;
  dataset?: Name & { aliases: Name[] };
}

interface Props {
  about: About;
  until: string | null; // when it was last reported
}

const PAGE = 100;

/** Raw events that name a job or a dataset, the latest first. */
export function EventsTab({ about, until }: Props) {
  const before = new Date((until === null ? Date.now() : Date.parse(until)) + 1).toISOString();
  const pages = useInfiniteQuery({
    queryKey: ["events about", about, before],
    initialPageParam: 0,
    queryFn: ({ signal, pageParam }) => {
      const query = { before, limit: PAGE, offset: pageParam };
      return body(api.GET("/api/v1/events/lineage", { params: { query }, signal }));
    },
    getNextPageParam: (last, pages) => (pages.length * PAGE < last.totalCount ? pages.length * PAGE : undefined),
  });
  if (pages.isError) return <ErrorAlert error={pages.error} retry={() => void pages.refetch()} />;
  if (pages.data === undefined) return <Loader size="sm" aria-label="Loading" />;
  const searched = pages.data.pages.flatMap((page) => page.events as unknown[]).filter(isJson);
  const matches = searched.filter((event) => mentions(event, about));
  return (
    <Stack gap="xs">
      {matches.map((event) => (
        <EventRow key={`${String(event.eventTime)} ${runOf(event)} ${typeOf(event)}`} event={event} />
      ))}
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {plural(matches.length, "match", "matches")} in {plural(searched.length, "event")} searched
        </Text>
        {pages.hasNextPage && (
          <Button
            size="compact-sm"
            variant="default"
            loading={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            Search further back
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function mentions(event: Json, { job, dataset }: About): boolean {
  const eventJob = jobOf(event);
  if (job !== undefined && eventJob !== null && same(eventJob, job)) return true;
  if (dataset === undefined) return false;
  const all = [...datasetsOf(event, "inputs"), ...datasetsOf(event, "outputs"), ...datasetsOf(event, "dataset")];
  return all.some((each) => same(each, dataset) || dataset.aliases.some((alias) => same(each, alias)));
}

function same(a: Name, b: Name): boolean {
  return a.name === b.name && a.namespace === b.namespace;
}
