import { Box, Button, Group, SegmentedControl, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch, IconSearchOff } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useNamespaces, useSearchHits } from "@/api/hooks";
import { Empty } from "@/parts/Empty";
import { plural } from "@/parts/format";
import { Page } from "@/parts/Page";
import { QueryResult } from "@/parts/QueryResult";
import { setParams, useParam } from "@/parts/useParam";
import { HitRow } from "@/views/search/HitRow";

const PAGE = 20;
const DAYS: Record<string, number> = { "1": 1, "7": 7, "30": 30 };
const KINDS = [
  { value: "", label: "All" },
  { value: "JOB", label: "Jobs" },
  { value: "DATASET", label: "Datasets" },
];
const ORDERS = [
  { value: "", label: "Best match" },
  { value: "UPDATE_AT", label: "Most recent" },
  { value: "NAME", label: "Name" },
];
const CHANGED = [
  { value: "", label: "Any time" },
  { value: "1", label: "Last day" },
  { value: "7", label: "Last week" },
  { value: "30", label: "Last month" },
];

export default function SearchView() {
  const [queryParam] = useParam("q");
  const [text, setText] = useState(queryParam ?? "");
  const [typed] = useDebouncedValue(text, 120);
  const [limit, setLimit] = useState(PAGE);
  const [kind, setKind] = useParam("kind");
  const [namespace, setNamespace] = useParam("namespace");
  const [sort, setSort] = useParam("sort");
  const [days, setDays] = useParam("days");
  useEffect(() => setParams({ q: typed }), [typed]);
  // The box in the header may change the query.
  useEffect(
    () => setText((now) => (queryParam === null || queryParam === now.trim() ? now : queryParam)),
    [queryParam],
  );

  const hits = useSearchHits({
    q: typed,
    limit,
    filter: kind === "JOB" || kind === "DATASET" ? kind : undefined,
    sort: sort === "NAME" || sort === "UPDATE_AT" ? sort : undefined,
    namespace: namespace ?? undefined,
    after: since(days),
  });
  return (
    <Page title="Search" about="Names, columns, tags, owners, descriptions and SQL. Matches word beginnings.">
      <TextInput
        size="md"
        aria-label="Search for"
        placeholder="For example: orders price"
        leftSection={<IconSearch size={18} />}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setLimit(PAGE);
        }}
      />
      <Group gap="sm">
        <SegmentedControl size="xs" aria-label="Kind" data={KINDS} value={kind ?? ""} onChange={setKind} />
        <NamespaceSelect value={namespace} onChange={setNamespace} />
        <Select
          size="xs"
          w={130}
          aria-label="Last changed"
          data={CHANGED}
          value={days ?? ""}
          onChange={setDays}
          allowDeselect={false}
        />
        <Select
          size="xs"
          w={130}
          aria-label="Sort by"
          data={ORDERS}
          value={sort ?? ""}
          onChange={setSort}
          allowDeselect={false}
        />
      </Group>
      {typed.trim() === "" ? (
        <Empty Icon={IconSearch} title="What are you looking for?">
          Type part of a name, a column, a tag, an owner or a word of SQL. Press <b>/</b> to search from anywhere.
        </Empty>
      ) : (
        <QueryResult query={hits} lines={8}>
          {({ results, totalCount }) => (
            <Stack gap="xs">
              <Text size="sm" c="dimmed" role="status">
                {plural(totalCount, "result")}
              </Text>
              {results.length === 0 && (
                <Empty Icon={IconSearchOff} title="No results">
                  Try fewer words, or remove the filters.
                </Empty>
              )}
              <Box component="ul" p={0} m={0} style={{ listStyle: "none" }} aria-label="Results">
                {results.map((hit) => (
                  <HitRow key={hit.nodeId} hit={hit} />
                ))}
              </Box>
              {results.length < totalCount && (
                <Button
                  variant="default"
                  size="xs"
                  onClick={() => setLimit(limit + 2 * PAGE)}
                  loading={hits.isFetching}
                >
                  Show more
                </Button>
              )}
            </Stack>
          )}
        </QueryResult>
      )}
    </Page>
  );
}

function NamespaceSelect({ value, onChange }: { value: string | null; onChange: (value: string | null) => void }) {
  const namespaces = useNamespaces();
  const names = namespaces.data?.namespaces.map((each) => each.name).filter((name) => name !== "") ?? [];
  return (
    <Select
      size="xs"
      w={220}
      aria-label="Namespace"
      placeholder="All namespaces"
      data={names}
      value={value}
      onChange={onChange}
      searchable
      clearable
      limit={100}
    />
  );
}

/** To the hour, so that the cache sees the same query. */
function since(days: string | null): string | undefined {
  const count = DAYS[days ?? ""];
  if (count === undefined) return undefined;
  const hour = 3_600_000;
  return new Date(Math.floor(Date.now() / hour) * hour - count * 24 * hour).toISOString();
}
