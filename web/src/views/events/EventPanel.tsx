import { CloseButton, Group, Stack, Text, Title } from "@mantine/core";
import { IconInbox } from "@tabler/icons-react";
import { Empty } from "@/parts/Empty";
import { cut, moment } from "@/parts/format";
import { JsonTree } from "@/parts/JsonTree";
import { NodeName } from "@/parts/NodeName";
import parts from "@/parts/parts.module.css";
import { producerOf, useEventAt } from "@/parts/rawEvents";
import { EventBadge } from "@/parts/StateBadge";
import { producerName } from "@/views/details/links";
import { openDetails } from "@/views/details/open";
import { PropertyList } from "@/views/details/PropertyList";
import { Section } from "@/views/details/Section";
import { ChangeList } from "@/views/events/ChangeList";
import { DiffAt } from "@/views/events/DiffAt";
import classes from "@/views/events/events.module.css";
import type { Row } from "@/views/events/rows";

/** One event: what it changed, and what it says. */
export function EventPanel({ row, onClose }: { row: Row; onClose: () => void }) {
  const query = useEventAt(row.event === undefined ? { at: row.at, type: row.type, runId: row.runId } : null);
  const event = row.event ?? query.data ?? undefined;
  const producer = row.producer ?? producerOf(event ?? null);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={`${parts.tile} ${classes.panel}`} aria-label="Event details" tabIndex={0}>
      <Group justify="space-between" wrap="nowrap">
        <Group gap="xs">
          <EventBadge type={row.type} />
          <Title order={2} size="h5">
            {moment(row.at)}
          </Title>
        </Group>
        <CloseButton aria-label="Close event" onClick={onClose} />
      </Group>
      <Stack gap={0} mt="xs">
        <PropertyList
          properties={[
            [
              "About",
              row.subject !== null && (
                <NodeName
                  nodeId={row.subject.nodeId}
                  name={row.subject.name}
                  onClick={(id) => openDetails(id, row.runId === null ? {} : { run: row.runId, tab: "run" })}
                />
              ),
            ],
            ["Run", row.runId !== null && <code>{cut(row.runId, 100)}</code>],
            ["Producer", producer !== undefined && producerName(cut(producer, 300))],
            ["Position", row.change?.position],
          ]}
        />
        <Section title="Changes">
          {row.change === undefined ? <DiffAt row={row} /> : <ChangeList change={row.change} />}
        </Section>
        <Section title="Raw event">
          {event !== undefined ? (
            <JsonTree value={event} label="the event" open={2} />
          ) : query.isPending ? (
            <Text size="sm">…</Text>
          ) : (
            <Empty Icon={IconInbox} title="No raw event">
              This change was made through the API, not by an OpenLineage event.
            </Empty>
          )}
        </Section>
      </Stack>
    </section>
  );
}
