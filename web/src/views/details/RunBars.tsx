import { Text } from "@mantine/core";
import type { Run } from "@/api/schema";
import { Bars } from "@/parts/charts";
import { duration, moment, plural } from "@/parts/format";
import { stateColour, stateName } from "@/theme/states";

interface Props {
  runs: Run[]; // the latest first, as the server lists them
  picked?: string | null;
  onPick?: (runId: string) => void;
}

/** How long each run took, the oldest at the left; the colour is how it ended. */
export function RunBars({ runs, picked, onPick }: Props) {
  const longest = Math.max(0, ...runs.map((run) => run.durationMs ?? 0));
  const values = runs.toReversed().map((run) => ({
    key: run.id,
    value: run.durationMs,
    colour: stateColour(run.state),
    title: titleOf(run),
  }));
  return (
    <>
      <Bars
        values={values}
        label={`Duration of the last ${plural(runs.length, "run")}; longest ${duration(longest)}`}
        picked={picked}
        onPick={onPick}
      />
      <Text size="xs" c="dimmed">
        {plural(runs.length, "run")}, latest on the right. Longest: {duration(longest)}.
      </Text>
    </>
  );
}

function titleOf(run: Run): string {
  const began = run.startedAt ?? run.createdAt;
  const took = run.durationMs === null ? "" : `, took ${duration(run.durationMs)}`;
  return `${stateName(run.state)}${began === null ? "" : `, started ${moment(began)}`}${took}`;
}
