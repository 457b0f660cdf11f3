import { SimpleGrid, Text } from "@mantine/core";
import type { Dataset, Run } from "@/api/schema";
import { Bars } from "@/parts/charts";
import { amount, bytes, moment } from "@/parts/format";
import classes from "@/parts/parts.module.css";
import { stateColour } from "@/theme/states";
import { type Write, writes } from "@/views/details/writes";

const KINDS: { key: keyof Omit<Write, "run">; name: string; say: (value: number) => string }[] = [
  { key: "rows", name: "Rows per write", say: amount },
  { key: "size", name: "Bytes per write", say: bytes },
  { key: "files", name: "Files per write", say: amount },
];

/** How much each run wrote, as small charts. */
export function Statistics({ runs, dataset }: { runs: Run[]; dataset: Dataset }) {
  const written = writes(runs, dataset.namespace, dataset.name);
  const kinds = KINDS.filter(({ key }) => written.some((write) => write[key] !== undefined));
  if (kinds.length === 0) return null;
  return (
    <SimpleGrid cols={{ base: 1, xs: Math.min(3, kinds.length) }} mt="sm">
      {kinds.map(({ key, name, say }) => {
        const known = written.filter((write) => write[key] !== undefined);
        const latest = known.at(-1)?.[key] ?? 0;
        return (
          <div key={key} className={classes.tile}>
            <Text size="xs" c="dimmed">
              {name}
            </Text>
            <Text fw={650}>{say(latest)}</Text>
            <Bars
              height={36}
              label={`${name}: ${known.map((write) => say(write[key] ?? 0)).join(", ")}`}
              values={known.map((write) => ({
                key: write.run.id,
                value: write[key] ?? 0,
                colour: stateColour(write.run.state),
                title: `${say(write[key] ?? 0)}, ${moment(write.run.endedAt ?? write.run.updatedAt ?? "")}`,
              }))}
            />
          </div>
        );
      })}
    </SimpleGrid>
  );
}
