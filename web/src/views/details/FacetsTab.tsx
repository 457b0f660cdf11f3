import { Stack, Text } from "@mantine/core";
import { JsonTree } from "@/parts/JsonTree";

/** All facets as they were sent. */
export function FacetsTab({ facets }: { facets: unknown }) {
  const count = typeof facets === "object" && facets !== null ? Object.keys(facets).length : 0;
  if (count === 0) {
    return (
      <Text size="sm" c="dimmed">
        No facets reported.
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        As sent; the latest of each name.
      </Text>
      <JsonTree value={facets} label="facets" open={1} />
    </Stack>
  );
}
