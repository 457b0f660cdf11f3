import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "@/views/details/details.module.css";

/** Names and values in two columns; what is not known is left out. */
export function PropertyList({ properties }: { properties: [name: string, value: ReactNode][] }) {
  const known = properties.filter(
    ([, value]) => value !== null && value !== undefined && value !== "" && value !== false,
  );
  return (
    <dl className={classes.properties}>
      {known.map(([name, value]) => (
        <div key={name} className={classes.property}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} miw={0} className={classes.value}>
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}
