import { Anchor, Box, Group, Progress, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { Suspect } from "@/api/schema";
import { graphAddress } from "@/parts/addresses";
import { cut, plural, sentence } from "@/parts/format";
import { Pill } from "@/parts/Pill";
import parts from "@/parts/parts.module.css";
import { TimeAgo } from "@/parts/TimeAgo";
import { markColour, stateColour } from "@/theme/states";
import { openDetails } from "@/views/details/open";
import { EvidenceList } from "@/views/why/EvidenceList";
import { NodeById } from "@/views/why/NodeById";

const COLOURS: Record<string, string> = {
  RUN_FAILED: stateColour("FAILED"),
  RUN_ABORTED: stateColour("ABORTED"),
  RUN_STUCK: stateColour("STUCK"),
  RUN_LATE: stateColour("LATE"),
  SCHEMA_CHANGED: markColour("changed"),
  DATASET_DROPPED: markColour("removed"),
  DATASET_RENAMED: markColour("changed"),
  STATISTIC_JUMPED: "blue",
};

const SUMMARY = 500;

/** One suspect: what happened, where, since when, and what else it explains. */
export function SuspectCard({ suspect, rank }: { suspect: Suspect; rank: number }) {
  const colour = COLOURS[suspect.kind] ?? stateColour("UNKNOWN");
  const percent = Math.round(suspect.suspicion * 100);
  return (
    <Box component="li" className={parts.tile}>
      <Group align="flex-start" wrap="nowrap" gap="md">
        <Stack gap={4} w={64} align="center" style={{ flexShrink: 0 }}>
          <Text fz={22} fw={680} lh={1}>
            {rank}
          </Text>
          <Progress value={percent} color={colour} w="100%" size="sm" aria-label={`Suspicion ${percent} of 100`} />
          <Text size="xs" c="dimmed">
            {percent} %
          </Text>
        </Stack>
        <Stack gap={6} miw={0} flex={1}>
          <Group gap="xs">
            <Pill colour={colour}>{sentence(suspect.kind)}</Pill>
            <Text size="sm" c="dimmed">
              <TimeAgo at={suspect.at} />, {away(suspect.distance)}
            </Text>
            <Anchor component={Link} size="sm" ml="auto" href={graphAddress(suspect.nodeId)}>
              Graph
            </Anchor>
          </Group>
          <Text size="sm" fw={550} className={parts.free}>
            {cut(suspect.summary, SUMMARY)}
          </Text>
          <NodeById nodeId={suspect.nodeId} />
          <EvidenceList
            evidence={suspect.evidence}
            onRun={(run) => openDetails(suspect.evidence.jobId ?? suspect.nodeId, { run, tab: "run" })}
          />
          {suspect.explains.length > 0 && (
            <Box>
              <Text size="sm" c="dimmed">
                Explains problems in
              </Text>
              <Stack gap={4} align="flex-start">
                {suspect.explains.map((nodeId) => (
                  <NodeById key={nodeId} nodeId={nodeId} />
                ))}
              </Stack>
            </Box>
          )}
        </Stack>
      </Group>
    </Box>
  );
}

function away(distance: number): string {
  return distance === 0 ? "itself" : `${plural(distance, "job")} upstream`;
}
