import { Skeleton, Text } from "@mantine/core";
import parts from "@/parts/parts.module.css";
import { type State, stateColour } from "@/theme/states";
import classes from "@/views/home/home.module.css";

interface Props {
  name: string;
  value: number | undefined; // undefined: not known yet
  state: State; // whose colour it has when there are any
  href: string;
}

/** A number that one sees from across the room, and the way to what it counts. */
export function Tile({ name, value, state, href }: Props) {
  const colour = value ? stateColour(state) : undefined;
  return (
    <a className={`${parts.tile} ${classes.tile}`} href={href}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      {value === undefined ? (
        <Skeleton height={30} width={60} />
      ) : (
        <Text fz={26} lh={1.15} fw={680} style={{ color: colour }}>
          {value.toLocaleString("en")}
        </Text>
      )}
    </a>
  );
}
