import { Anchor, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { useRun } from "@/api/hooks";
import type { Run, UsedVersion } from "@/api/schema";
import { graphAddress, rootCauseAddress } from "@/parts/addresses";
import { facet, number, text } from "@/parts/facets";
import { amount, bytes, duration, moment, plural } from "@/parts/format";
import { JsonTree } from "@/parts/JsonTree";
import { NodeName } from "@/parts/NodeName";
import { QueryResult } from "@/parts/QueryResult";
import { StateBadge } from "@/parts/StateBadge";
import { TimeAgo } from "@/parts/TimeAgo";
import { ErrorBox } from "@/views/details/ErrorBox";
import { Links } from "@/views/details/Links";
import { linksIn } from "@/views/details/links";
import { PropertyList } from "@/views/details/PropertyList";
import { RunEvents } from "@/views/details/RunEvents";
import { Section } from "@/views/details/Section";
import { StreamFacts } from "@/views/details/StreamFacts";

interface Props {
  runId: string;
  onNavigate: (nodeId: string) => void;
}

/** One run: what it did, its events, what it read and wrote. */
export function RunTab({ runId, onNavigate }: Props) {
  const query = useRun(runId);
  return (
    <QueryResult query={query} lines={10}>
      {(run) => <OneRun run={run} onNavigate={onNavigate} />}
    </QueryResult>
  );
}

function OneRun({ run, onNavigate }: { run: Run; onNavigate: Props["onNavigate"] }) {
  const engine = facet(run.facets, "processing_engine");
  const parent = facet(facet(run.facets, "parent"), "job");
  const parentName = text(parent, "name");
  const links = linksIn(run.facets);
  return (
    <Stack gap={0}>
      <Group gap="xs">
        <StateBadge state={run.state} />
        <Text size="sm">
          started <TimeAgo at={run.startedAt ?? run.createdAt} />
          {run.durationMs !== null && `, took ${duration(run.durationMs)}`}
        </Text>
      </Group>
      <ThenLinks run={run} />
      <ErrorBox facets={run.facets} />
      <Section title="About">
        <PropertyList
          properties={[
            ["Run", <code key="id">{run.id}</code>],
            ["Started", run.startedAt && moment(run.startedAt)],
            ["Ended", run.endedAt && moment(run.endedAt)],
            ["Scheduled for", run.nominalStartTime && moment(run.nominalStartTime)],
            ["Engine", [text(engine, "name"), text(engine, "version")].filter(Boolean).join(" ")],
            [
              "Parent job",
              parentName !== undefined && (
                <NodeName
                  nodeId={`job:${text(parent, "namespace") ?? ""}:${parentName}`}
                  name={parentName}
                  onClick={onNavigate}
                />
              ),
            ],
            ...Object.entries(run.args).map(([name, value]): [string, string] => [name, value]),
          ]}
        />
        {links.length > 0 && <Links links={links} />}
      </Section>
      <StreamFacts run={run} />
      <Section title="Events">
        <RunEvents runId={run.id} states={run.states} />
      </Section>
      <Used title="Read" versions={run.inputDatasetVersions} onNavigate={onNavigate} />
      <Used title="Wrote" versions={run.outputDatasetVersions} onNavigate={onNavigate} />
      <Section title="Facets">
        <JsonTree value={run.facets} label="facets of the run" open={1} />
      </Section>
    </Stack>
  );
}

/** The graph, the root cause and the changes as of that run. */
function ThenLinks({ run }: { run: Run }) {
  const at = run.endedAt ?? run.updatedAt;
  if (run.job === null || at === null) return null;
  const nodeId = `job:${run.job.namespace}:${run.job.name}`;
  const then = encodeURIComponent(at);
  return (
    <Group gap="md" mt="xs">
      <Anchor component={Link} size="sm" href={graphAddress(nodeId, { at })}>
        Graph at that time
      </Anchor>
      <Anchor component={Link} size="sm" href={rootCauseAddress(`run:${run.id}`)}>
        Root cause of this run
      </Anchor>
      <Anchor component={Link} size="sm" href={`/compare?node=${encodeURIComponent(nodeId)}&from=${then}`}>
        Changes since
      </Anchor>
    </Group>
  );
}

function Used({
  title,
  versions,
  onNavigate,
}: {
  title: string;
  versions: UsedVersion[];
  onNavigate: Props["onNavigate"];
}) {
  if (versions.length === 0) return null;
  return (
    <Section title={`${title} ${plural(versions.length, "dataset")}`}>
      <Stack gap="sm">
        {versions.map(({ datasetVersionId: id, facets }) => {
          const nodeId = `dataset:${id.namespace}:${id.name}`;
          const named = text(facet(facets, "version"), "datasetVersion");
          return (
            <div key={nodeId}>
              <NodeName nodeId={nodeId} name={id.name} namespace={id.namespace} onClick={onNavigate} />
              <Text size="xs" c="dimmed" ml={24} style={{ overflowWrap: "anywhere" }}>
                version {named ?? id.version}
                {counted(facets)}
              </Text>
            </div>
          );
        })}
      </Stack>
    </Section>
  );
}

/** `, 168 rows, 2.2kB, 1 file`, as far as it is known. */
function counted(facets: unknown): string {
  const statistics = facet(facets, "outputStatistics") ?? facet(facets, "inputStatistics");
  const rows = number(statistics, "rowCount");
  const size = number(statistics, "size");
  const files = number(statistics, "fileCount");
  const parts = [
    rows !== undefined && `${amount(rows)} rows`,
    size !== undefined && bytes(size),
    files !== undefined && plural(files, "file"),
  ];
  return parts
    .filter(Boolean)
    .map((part) => `, ${part}`)
    .join("");
}
