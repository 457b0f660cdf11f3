import { Badge, Group, Stack, Text } from "@mantine/core";
import type { Job, Name } from "@/api/schema";
import { owners, webAddress } from "@/parts/facets";
import { duration, moment, plural } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";
import { StateBadge } from "@/parts/StateBadge";
import { TimeAgo } from "@/parts/TimeAgo";
import { Description } from "@/views/details/Description";
import { Links } from "@/views/details/Links";
import { linksIn } from "@/views/details/links";
import { PropertyList } from "@/views/details/PropertyList";
import { RunBars } from "@/views/details/RunBars";
import { Section } from "@/views/details/Section";
import { Tags } from "@/views/details/Tags";

interface Props {
  job: Job;
  onNavigate: (nodeId: string) => void;
}

const SHOWN = 20; // of inputs and of outputs; the graph has the rest

export function JobOverview({ job, onNavigate }: Props) {
  const entity = { kind: "job" as const, namespace: job.namespace, name: job.name };
  const run = job.latestRun;
  const links = linksIn(job.facets);
  const parent = job.parentJobName;
  return (
    <Stack gap={0}>
      <Description entity={entity} description={job.description} />
      <Section title="Latest run">
        {run === null ? (
          <Text size="sm" c="dimmed">
            No runs reported yet. Only its inputs and outputs are known.
          </Text>
        ) : (
          <Stack gap={6}>
            <Group gap="xs">
              <StateBadge state={run.state} />
              <Text size="sm">
                started <TimeAgo at={run.startedAt ?? run.createdAt} />
                {run.durationMs !== null && `, took ${duration(run.durationMs)}`}
              </Text>
            </Group>
            <RunBars runs={job.latestRuns} />
          </Stack>
        )}
      </Section>
      <Section title="About">
        <PropertyList
          properties={[
            ["Kind", <Kinds key="kinds" kinds={[job.type, ...job.labels]} />],
            ["Owners", owners(job.facets).join(", ") || "No owner"],
            [
              "Parent job",
              parent !== null && (
                <NodeName nodeId={`job:${job.namespace}:${parent}`} name={parent} onClick={onNavigate} />
              ),
            ],
            ["First seen", moment(job.createdAt)],
            ["Last change", <TimeAgo key="changed" at={job.updatedAt} />],
            ["Code", webAddress(job.location) === undefined && job.location],
          ]}
        />
        {links.length > 0 && <Links links={links} />}
      </Section>
      <Datasets title="Reads" names={job.inputs} onNavigate={onNavigate} />
      <Datasets title="Writes" names={job.outputs} onNavigate={onNavigate} />
      <Section title="Tags">
        <Tags entity={entity} tags={job.tags} />
      </Section>
    </Stack>
  );
}

function Kinds({ kinds }: { kinds: string[] }) {
  return (
    <Group gap={6} component="span">
      {[...new Set(kinds)].map((kind) => (
        <Badge key={kind} variant="default" size="sm" tt="none">
          {kind}
        </Badge>
      ))}
    </Group>
  );
}

function Datasets({ title, names, onNavigate }: { title: string; names: Name[]; onNavigate: Props["onNavigate"] }) {
  return (
    <Section title={`${title} ${plural(names.length, "dataset")}`}>
      <Stack gap={6}>
        {names.slice(0, SHOWN).map(({ namespace, name }) => {
          const nodeId = `dataset:${namespace}:${name}`;
          return <NodeName key={nodeId} nodeId={nodeId} name={name} namespace={namespace} onClick={onNavigate} />;
        })}
        {names.length > SHOWN && <Text size="sm">and {names.length - SHOWN} more; see the graph</Text>}
      </Stack>
    </Section>
  );
}
