import { Group, Stack, Text } from "@mantine/core";
import type { Dataset, Freshness } from "@/api/schema";
import { Asked } from "@/parts/Asked";
import { useFound, useFreshness, useRuns } from "@/parts/asks";
import { NodeName } from "@/parts/NodeName";
import { Pill } from "@/parts/Pill";
import { When } from "@/parts/When";
import { duration } from "@/parts/words";
import { stateColour, stateName } from "@/states";
import { Facts } from "@/views/details/Facts";
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
  const asked = useFreshness(nodeId);
  return (
    <Section title="Freshness">
      <Asked asked={asked} lines={3}>
        {(told) =>
          told.lastWrittenAt === null ? (
            <Text size="sm" c="dimmed">
              No writes reported yet.
            </Text>
          ) : (
            <Stack gap={0}>
              <Written told={told} onNavigate={onNavigate} />
              {told.job !== null && <Amounts writer={told.job} dataset={dataset} />}
            </Stack>
          )
        }
      </Asked>
    </Section>
  );
}

function Written({ told, onNavigate }: { told: Freshness; onNavigate: Props["onNavigate"] }) {
  const writer = told.job;
  return (
    <Facts
      facts={[
        [
          "Last written",
          <Group key="written" gap="xs" component="span">
            <When at={told.lastWrittenAt} />
            {told.late && <Pill colour={stateColour("LATE")}>{stateName("LATE")}</Pill>}
          </Group>,
        ],
        ["Written by", writer !== null && <NodeName nodeId={writer} name={lastPart(writer)} onClick={onNavigate} />],
        ["Usually every", told.everySeconds !== null && duration(told.everySeconds * 1000)],
        ["Expected", told.expectedAt !== null && <When at={told.expectedAt} />],
        [
          "Oldest inputs",
          told.inputs.length > 0 && (
            <Stack gap={2}>
              {told.inputs.slice(0, INPUTS).map((input) => (
                <Group key={input.nodeId} gap="xs" wrap="nowrap">
                  <NodeName nodeId={input.nodeId} name={input.name} onClick={onNavigate} />
                  <Text size="sm" c={input.late ? stateColour("LATE") : "dimmed"}>
                    <When at={input.lastWrittenAt} />
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

/** Good enough for a label; the drawer that it opens asks the server. */
function lastPart(nodeId: string): string {
  return nodeId.split(":").at(-1) ?? nodeId;
}

function Amounts({ writer, dataset }: { writer: string; dataset: Dataset }) {
  const job = useFound(writer);
  return job.data === undefined ? null : (
    <Charts namespace={job.data.namespace} name={job.data.name} dataset={dataset} />
  );
}

function Charts({ namespace, name, dataset }: { namespace: string; name: string; dataset: Dataset }) {
  const runs = useRuns(namespace, name, RUNS);
  return runs.data === undefined ? null : <Statistics runs={runs.data.runs} dataset={dataset} />;
}
