import { Skeleton, Text } from "@mantine/core";
import parts from "@/parts/parts.module.css";
import classes from "@/views/home/home.module.css";

interface Props {
  name: string;
  value: number | undefined; // undefined: not known yet
  colour: string; // when there are any
  href: string;
}

/** A number that one sees from across the room, and the way to what it counts. */
export function Tile({ name, value, colour, href }: Props) {
  const look = value ? `light-dark(var(--mantine-color-${colour}-9), var(--mantine-color-${colour}-4))` : undefined;
  return (
    <a className={`${parts.tile} ${classes.tile}`} href={href}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      {value === undefined ? (
        <Skeleton height={30} width={60} />
      ) : (
        <Text fz={26} lh={1.15} fw={680} style={{ color: look }}>
          {value.toLocaleString("en")}
        </Text>
      )}
    </a>
  );
}
