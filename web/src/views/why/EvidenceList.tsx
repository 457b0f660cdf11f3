import { Anchor, Text } from "@mantine/core";
import type { Evidence } from "@/api/schema";
import { Copyable } from "@/parts/Copyable";
import { Fold } from "@/parts/Fold";
import { amount, duration, moment } from "@/parts/format";
import { StateBadge } from "@/parts/StateBadge";
import { FieldChanges } from "@/views/details/FieldChanges";
import { PropertyList } from "@/views/details/PropertyList";

interface Props {
  evidence: Evidence;
  onRun: (runId: string) => void;
}

/** What a suspicion rests on; of each kind only what it has. */
export function EvidenceList({ evidence, onRun }: Props) {
  const { runId, error, statistic, before, after } = evidence;
  const seconds = (value: number | null | undefined) => value != null && duration(value * 1000);
  const positions = (evidence.positions ?? []).slice(0, 10);
  const at = (value: string | null | undefined) => value != null && moment(value);
  return (
    <>
      <PropertyList
        properties={[
          [
            "Run",
            runId != null && (
              <>
                <Anchor component="button" type="button" size="sm" onClick={() => onRun(runId)}>
                  …{runId.slice(-12)}
                </Anchor>{" "}
                {evidence.state != null && <StateBadge state={evidence.state} />}
              </>
            ),
          ],
          ["Started", at(evidence.startedAt)],
          ["Ended", at(evidence.endedAt)],
          ["Last event", at(evidence.lastSign)],
          ["Was due", at(evidence.expectedAt)],
          ["Usually every", seconds(evidence.everySeconds)],
          ["Usually takes", seconds(evidence.usualSeconds)],
          ["Previous name", evidence.previousName],
          [
            statistic ?? "Amount",
            before != null && after != null && (
              <Text component="span" size="sm">
                {amount(after)}, usually {amount(before)}
              </Text>
            ),
          ],
          [
            "Evidence",
            positions.length > 0 && `${positions.length === 1 ? "event" : "events"} ${positions.join(", ")}`,
          ],
        ]}
      />
      <FieldChanges added={evidence.added} removed={evidence.removed} retyped={evidence.retyped} />
      {error != null && (
        <Fold label="Error">
          <Copyable text={error} label="the error" />
        </Fold>
      )}
    </>
  );
}
