import { Anchor, Group, Stack, Text } from "@mantine/core";
import { IconQuestionMark, IconShieldCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { api, body } from "@/api/client";
import type { Why } from "@/api/schema";
import { graphAddress, isOnGraph } from "@/parts/addresses";
import { Empty } from "@/parts/Empty";
import { moment, plural } from "@/parts/format";
import { MomentInput } from "@/parts/MomentInput";
import { NodePicker } from "@/parts/NodePicker";
import { Page } from "@/parts/Page";
import { QueryResult } from "@/parts/QueryResult";
import { Subject } from "@/parts/Subject";
import { useParam } from "@/parts/useParam";
import { SuspectCard } from "@/views/why/SuspectCard";

/** Which upstream job, column or schema change is to blame? */
export default function WhyView() {
  const [nodeId, setNodeId] = useParam("node");
  return (
    <Page title="Root cause" about="What went wrong upstream, likeliest cause first, with evidence.">
      {nodeId === null ? (
        <>
          <NodePicker label="Root cause of" placeholder="A dataset or a job" onPick={setNodeId} />
          <Empty Icon={IconQuestionMark} title="Pick what looks wrong">
            Headwater checks everything upstream for failed, stuck and late runs, changed schemas, dropped tables and
            sudden changes in volume.
          </Empty>
        </>
      ) : (
        <RootCauseOf nodeId={nodeId} onChange={() => setNodeId(null)} />
      )}
    </Page>
  );
}

function RootCauseOf({ nodeId, onChange }: { nodeId: string; onChange: () => void }) {
  const [at, setAt] = useParam("at");
  const [since, setSince] = useParam("since");
  const query = useQuery({
    queryKey: ["why", nodeId, at, since],
    queryFn: ({ signal }) => {
      const query = { nodeId, at: at ?? undefined, since: since ?? undefined };
      return body(api.GET("/api/v1/why", { params: { query }, signal }));
    },
  });
  return (
    <Stack gap="md">
      <Group gap="lg" align="flex-end" justify="space-between">
        <Subject nodeId={nodeId} onChange={onChange} />
        <Group gap="sm">
          <MomentInput label="Changes since" value={since} onChange={setSince} />
          <MomentInput label="As of" value={at} onChange={setAt} />
        </Group>
      </Group>
      <QueryResult query={query} lines={8}>
        {(why) => <Answer why={why} />}
      </QueryResult>
    </Stack>
  );
}

function Answer({ why }: { why: Why }) {
  const { jobs, datasets, runs } = why.examined;
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          Checked {plural(jobs, "job")}, {plural(datasets, "dataset")} and {plural(runs, "run")} upstream, from{" "}
          {moment(why.since)} to {moment(why.at)}.
          {why.truncated && " There is more upstream; only the nearest was checked."}
        </Text>
        {isOnGraph(why.nodeId) && (
          <Anchor component={Link} size="sm" href={graphAddress(why.nodeId, { up: 20, down: 0 })}>
            Show upstream in the graph
          </Anchor>
        )}
      </Group>
      {why.suspects.length === 0 ? (
        <Empty Icon={IconShieldCheck} title="Nothing upstream looks suspicious">
          No failure is unresolved, no run is late, no schema changed and no volume jumped in that time. Look further
          back, or at the data itself.
        </Empty>
      ) : (
        <Stack component="ol" gap="sm" p={0} m={0} style={{ listStyle: "none" }} aria-label="Suspects">
          {why.suspects.map((suspect, at) => (
            <SuspectCard key={`${suspect.kind} ${suspect.nodeId} ${suspect.at}`} suspect={suspect} rank={at + 1} />
          ))}
        </Stack>
      )}
    </Stack>
  );
}
