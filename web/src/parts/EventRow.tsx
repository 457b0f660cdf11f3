import { Anchor, Box, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { Json } from "@/parts/facets";
import { text } from "@/parts/facets";
import { cut, moment } from "@/parts/format";
import { JsonTree } from "@/parts/JsonTree";
import { producerOf, typeOf } from "@/parts/rawEvents";
import { EventBadge } from "@/parts/StateBadge";
import { producerName } from "@/views/details/links";

/** One raw event that opens into its JSON. */
export function EventRow({ event }: { event: Json }) {
  const [isOpen, setOpen] = useState(false);
  const producer = producerOf(event);
  return (
    <Box>
      <Group gap="xs" wrap="nowrap">
        <EventBadge type={typeOf(event)} />
        <Text size="sm" style={{ whiteSpace: "nowrap" }}>
          {moment(text(event, "eventTime") ?? "")}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {producer !== undefined && producerName(cut(producer, 300))}
        </Text>
        <Anchor
          component="button"
          type="button"
          size="xs"
          ml="auto"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Hide" : "Show"}
        </Anchor>
      </Group>
      {isOpen && <JsonTree value={event} label="the event" open={1} />}
    </Box>
  );
}
