import { Group, Stack, Text } from "@mantine/core";
import type { Dataset } from "@/api/schema";
import { owners } from "@/parts/facets";
import { cut, moment, plural, sentence } from "@/parts/format";
import { TimeAgo } from "@/parts/TimeAgo";
import { Description } from "@/views/details/Description";
import { FreshnessBox } from "@/views/details/FreshnessBox";
import { Links } from "@/views/details/Links";
import { linksIn } from "@/views/details/links";
import { PropertyList } from "@/views/details/PropertyList";
import { Section } from "@/views/details/Section";
import { Tags } from "@/views/details/Tags";

interface Props {
  dataset: Dataset;
  nodeId: string;
  onNavigate: (nodeId: string) => void;
}

export function DatasetOverview({ dataset, nodeId, onNavigate }: Props) {
  const entity = { kind: "dataset" as const, namespace: dataset.namespace, name: dataset.name };
  const links = linksIn(dataset.facets);
  return (
    <Stack gap={0}>
      <Description entity={entity} description={dataset.description} />
      {dataset.deleted && <Text c="red">This dataset was dropped.</Text>}
      <FreshnessBox nodeId={nodeId} dataset={dataset} onNavigate={onNavigate} />
      <Section title="About">
        <PropertyList
          properties={[
            ["Kind", sentence(dataset.type.replace("DB_", ""))],
            ["Columns", plural(dataset.fields.length, "column")],
            ["Owners", owners(dataset.facets).join(", ") || "No owner"],
            ["Source", cut(dataset.sourceName, 300)],
            ["Last operation", dataset.lastLifecycleState && sentence(dataset.lastLifecycleState)],
            ["First seen", dataset.createdAt && moment(dataset.createdAt)],
            ["Last change", <TimeAgo key="changed" at={dataset.updatedAt} />],
          ]}
        />
        {links.length > 0 && <Links links={links} />}
      </Section>
      {dataset.aliases.length > 0 && (
        <Section title="Also known as">
          <Stack gap={2}>
            {dataset.aliases.map((alias) => (
              <Group key={`${alias.namespace} ${alias.name}`} gap="xs">
                <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                  <bdi>{cut(alias.name, 300)}</bdi>
                </Text>
                <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                  <bdi>{cut(alias.namespace, 300)}</bdi>
                </Text>
              </Group>
            ))}
          </Stack>
        </Section>
      )}
      <Section title="Tags">
        <Tags entity={entity} tags={dataset.tags} />
      </Section>
    </Stack>
  );
}
