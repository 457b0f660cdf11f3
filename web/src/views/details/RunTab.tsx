import { Anchor, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { Run, UsedVersion } from "@/api/schema";
import { Asked } from "@/parts/Asked";
import { graphOf, whyOf } from "@/parts/addresses";
import { useRun } from "@/parts/asks";
import { facet, number, text } from "@/parts/facets";
import { JsonTree } from "@/parts/JsonTree";
import { NodeName } from "@/parts/NodeName";
import { StateBadge } from "@/parts/StateBadge";
import { When } from "@/parts/When";
import { amount, bytes, duration, moment, plural } from "@/parts/words";
import { ErrorBox } from "@/views/details/ErrorBox";
import { Facts } from "@/views/details/Facts";
import { Links } from "@/views/details/Links";
import { linksIn } from "@/views/details/links";
import { PaceFacts } from "@/views/details/PaceFacts";
import { Section } from "@/views/details/Section";
import { Steps } from "@/views/details/Steps";

interface Props {
  runId: string;
  onNavigate: (nodeId: string) => void;
}

/** One run: what it did, who said so, what it read and wrote. */
export function RunTab({ runId, onNavigate }: Props) {
  const asked = useRun(runId);
  return (
    <Asked asked={asked} lines={10}>
      {(run) => <OneRun run={run} onNavigate={onNavigate} />}
    </Asked>
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
          started <When at={run.startedAt ?? run.createdAt} />
          {run.durationMs !== null && `, took ${duration(run.durationMs)}`}
        </Text>
      </Group>
      <AskThen run={run} />
      <ErrorBox facets={run.facets} />
      <Section title="About">
        <Facts
          facts={[
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
      <PaceFacts run={run} />
      <Section title="Events">
        <Steps runId={run.id} states={run.states} />
      </Section>
      <Used title="Read" versions={run.inputDatasetVersions} onNavigate={onNavigate} />
      <Used title="Wrote" versions={run.outputDatasetVersions} onNavigate={onNavigate} />
      <Section title="Facets">
        <JsonTree value={run.facets} label="facets of the run" open={1} />
      </Section>
    </Stack>
  );
}

/** The same questions as of that run. */
function AskThen({ run }: { run: Run }) {
  const at = run.endedAt ?? run.updatedAt;
  if (run.job === null || at === null) return null;
  const nodeId = `job:${run.job.namespace}:${run.job.name}`;
  const then = encodeURIComponent(at);
  return (
    <Group gap="md" mt="xs">
      <Anchor component={Link} size="sm" href={graphOf(nodeId, { at })}>
        Graph at that time
      </Anchor>
      <Anchor component={Link} size="sm" href={whyOf(`run:${run.id}`)}>
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

/** `, 168 rows, 2.2kB, 1 file`, as far as it was told. */
function counted(facets: unknown): string {
  const told = facet(facets, "outputStatistics") ?? facet(facets, "inputStatistics");
  const rows = number(told, "rowCount");
  const size = number(told, "size");
  const files = number(told, "fileCount");
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
