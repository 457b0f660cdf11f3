import { Group, Stack, Text } from "@mantine/core";
import { useFreshness, useResolvedNode, useRuns } from "@/api/hooks";
import type { Dataset, Freshness } from "@/api/schema";
import { duration } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";
import { Pill } from "@/parts/Pill";
import { QueryResult } from "@/parts/QueryResult";
import { TimeAgo } from "@/parts/TimeAgo";
import { stateColour, stateName } from "@/theme/states";
import { PropertyList } from "@/views/details/PropertyList";
import { Section } from "@/views/details/Section";
import { Statistics } from "@/views/details/Statistics";

interface Props {
  nodeId: string;
  dataset: Dataset;
  onNavigate: (nodeId: string) => void;
}

const RUNS = 40; // for the charts
const INPUTS = 5;

/** When it was last written, by whom, whether that is late, and how much it was each time. */
export function FreshnessBox({ nodeId, dataset, onNavigate }: Props) {
  const query = useFreshness(nodeId);
  return (
    <Section title="Freshness">
      <QueryResult query={query} lines={3}>
        {(freshness) =>
          freshness.lastWrittenAt === null ? (
            <Text size="sm" c="dimmed">
              No writes reported yet.
            </Text>
          ) : (
            <Stack gap={0}>
              <Written freshness={freshness} onNavigate={onNavigate} />
              {freshness.job !== null && <Amounts writer={freshness.job} dataset={dataset} />}
            </Stack>
          )
        }
      </QueryResult>
    </Section>
  );
}

function Written({ freshness, onNavigate }: { freshness: Freshness; onNavigate: Props["onNavigate"] }) {
  const writer = freshness.job;
  return (
    <PropertyList
      properties={[
        [
          "Last written",
          <Group key="written" gap="xs" component="span">
            <TimeAgo at={freshness.lastWrittenAt} />
            {freshness.late && <Pill colour={stateColour("LATE")}>{stateName("LATE")}</Pill>}
          </Group>,
        ],
        ["Written by", writer !== null && <NodeName nodeId={writer} name={lastPart(writer)} onClick={onNavigate} />],
        ["Usually every", freshness.everySeconds !== null && duration(freshness.everySeconds * 1000)],
        ["Expected", freshness.expectedAt !== null && <TimeAgo at={freshness.expectedAt} />],
        [
          "Oldest inputs",
          freshness.inputs.length > 0 && (
            <Stack gap={2}>
              {freshness.inputs.slice(0, INPUTS).map((input) => (
                <Group key={input.nodeId} gap="xs" wrap="nowrap">
                  <NodeName nodeId={input.nodeId} name={input.name} onClick={onNavigate} />
                  <Text size="sm" c={input.late ? stateColour("LATE") : "dimmed"}>
                    <TimeAgo at={input.lastWrittenAt} />
                    {input.late && ", late"}
                  </Text>
                </Group>
              ))}
            </Stack>
          ),
        ],
      ]}
    />
  );
}

/** Good enough for a label; the drawer that it opens resolves the name. */
function lastPart(nodeId: string): string {
  return nodeId.split(":").at(-1) ?? nodeId;
}

function Amounts({ writer, dataset }: { writer: string; dataset: Dataset }) {
  const job = useResolvedNode(writer);
  return job.data === undefined ? null : (
    <Charts namespace={job.data.namespace} name={job.data.name} dataset={dataset} />
  );
}

function Charts({ namespace, name, dataset }: { namespace: string; name: string; dataset: Dataset }) {
  const runs = useRuns(namespace, name, RUNS);
  return runs.data === undefined ? null : <Statistics runs={runs.data.runs} dataset={dataset} />;
}
