import { Badge, Group, Stack, Table, Text } from "@mantine/core";
import { IconTable } from "@tabler/icons-react";
import { useState } from "react";
import { useVersions } from "@/api/hooks";
import type { Dataset } from "@/api/schema";
import { Empty } from "@/parts/Empty";
import { FilterBox } from "@/parts/FilterBox";
import { moment, plural } from "@/parts/format";
import { More } from "@/parts/PagedRows";
import classes from "@/parts/parts.module.css";
import { QueryResult } from "@/parts/QueryResult";
import { FieldChanges } from "@/views/details/FieldChanges";
import { Section } from "@/views/details/Section";
import { type SchemaStep, schemaSteps } from "@/views/details/schemas";

const VERSIONS = 200;
const ENOUGH_TO_FILTER = 12;

/** The columns of a dataset, and how they came to be. */
export function SchemaTab({ dataset }: { dataset: Dataset }) {
  const versions = useVersions(dataset.namespace, dataset.name, VERSIONS);
  return (
    <Stack gap={0}>
      <Fields dataset={dataset} />
      <Section title="History">
        <QueryResult query={versions} lines={3}>
          {(page) => {
            const complete = page.versions.length === page.totalCount;
            const steps = schemaSteps(page.versions, complete);
            return <History steps={steps} looked={page.versions.length} complete={complete} />;
          }}
        </QueryResult>
      </Section>
    </Stack>
  );
}

function Fields({ dataset }: { dataset: Dataset }) {
  const [filter, setFilter] = useState("");
  if (dataset.fields.length === 0) {
    return (
      <Empty Icon={IconTable} title="No schema reported">
        Columns come from the <code>schema</code> facet of a dataset. Spark, Flink's Table API and dbt send it.
      </Empty>
    );
  }
  const shown = dataset.fields.filter((field) => field.name.toLowerCase().includes(filter.toLowerCase()));
  return (
    <Stack gap="xs">
      {dataset.fields.length > ENOUGH_TO_FILTER && (
        <FilterBox label="Find a column" value={filter} onChange={setFilter} />
      )}
      <Table className={classes.table} layout="fixed" verticalSpacing={5}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="40%">Column</Table.Th>
            <Table.Th w="25%">Type</Table.Th>
            <Table.Th>Description</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <More items={shown}>
            {(field) => (
              <Table.Tr key={field.name}>
                <Table.Td>
                  <Text size="sm" fw={550} truncate title={field.name.slice(0, 500)}>
                    <bdi>{field.name.slice(0, 500)}</bdi>
                  </Text>
                  {field.tags.map((tag) => (
                    <Badge key={tag} size="xs" variant="default" tt="none">
                      {tag}
                    </Badge>
                  ))}
                </Table.Td>
                <Table.Td>
                  <Text size="xs" ff="monospace" className={classes.free}>
                    {field.type ?? "unknown"}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Text size="sm" c="dimmed" lineClamp={3} className={classes.free}>
                    {field.description}
                  </Text>
                </Table.Td>
              </Table.Tr>
            )}
          </More>
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function History({ steps, looked, complete }: { steps: SchemaStep[]; looked: number; complete: boolean }) {
  if (steps.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {looked === 0 ? "No version written yet." : `Unchanged in the last ${plural(looked, "version")}.`}
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      {steps.map(({ version, change }) => (
        <div key={version.currentVersion ?? version.version}>
          <Group gap="xs">
            <Text size="sm" fw={550}>
              {version.createdAt === null ? "Unknown time" : moment(version.createdAt)}
            </Text>
            {version.createdByRun?.job != null && (
              <Text size="sm" c="dimmed" truncate maw={320}>
                by <bdi>{version.createdByRun.job.name.slice(0, 200)}</bdi>
              </Text>
            )}
          </Group>
          {change === null ? (
            <Text size="sm">First schema, with {plural(version.fields.length, "column")}</Text>
          ) : (
            <FieldChanges {...change} />
          )}
        </div>
      ))}
      {!complete && (
        <Text size="xs" c="dimmed">
          Based on the last {looked} versions.
        </Text>
      )}
    </Stack>
  );
}
