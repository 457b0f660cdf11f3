import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "wouter";
import type { SearchHit } from "@/api/schema";
import { graphAddress } from "@/parts/addresses";
import { cut } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";
import parts from "@/parts/parts.module.css";
import { TimeAgo } from "@/parts/TimeAgo";
import { openDetails } from "@/views/details/open";
import { Marked } from "@/views/search/Marked";
import classes from "@/views/search/search.module.css";

const LONGEST = 400; // of a highlight: SQL may be long

/** One hit: what it is, what matched, where to go. */
export function HitRow({ hit }: { hit: SearchHit }) {
  return (
    <li className={classes.hit}>
      <Group justify="space-between" wrap="nowrap" gap="md">
        <NodeName nodeId={hit.nodeId} name={hit.name} namespace={hit.namespace} onClick={(id) => openDetails(id)} />
        <Group gap="md" wrap="nowrap">
          <Text size="sm" c="dimmed" visibleFrom="sm">
            <TimeAgo at={hit.updatedAt} />
          </Text>
          <Anchor
            component={Link}
            size="sm"
            href={graphAddress(hit.nodeId)}
            aria-label={`Graph of ${cut(hit.name, 80)}`}
          >
            Graph
          </Anchor>
        </Group>
      </Group>
      {hit.description !== null && hit.description !== "" && (
        <Text size="sm" c="dimmed" lineClamp={2} className={parts.free} ml={24}>
          {hit.description}
        </Text>
      )}
      {hit.highlights.map((highlight) => (
        <Text key={`${highlight.field} ${highlight.text}`} size="sm" ml={24} lineClamp={2} className={parts.free}>
          <Text component="span" size="xs" c="dimmed">
            {highlight.field}:{" "}
          </Text>
          <Marked text={cut(highlight.text, LONGEST)} />
        </Text>
      ))}
    </li>
  );
}
