import { Paper, Text } from "@mantine/core";
import { useState } from "react";
import { usageColour } from "@/theme/states";
import classes from "@/views/graph/Panels.module.css";

interface Props {
  namespaces: readonly string[];
  colourOf: (namespace: string) => string;
  hasColumns: boolean;
  onOnly: (namespace: string) => void;
}

const FEW = 6;

/** Whose colour is whose. A click shows only that namespace. */
export function Legend({ namespaces, colourOf, hasColumns, onOnly }: Props) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? namespaces : namespaces.slice(0, FEW);
  return (
    <Paper className={classes.legend} shadow="xs" withBorder component="section" aria-label="Colours">
      {shown.map((name) => (
        <button key={name} type="button" title={`Show only ${name}`} onClick={() => onOnly(name)}>
          <span className={classes.swatch} style={{ background: colourOf(name) }} />
          <span>{name || "no namespace"}</span>
        </button>
      ))}
      {namespaces.length > FEW && (
        <button type="button" onClick={() => setIsWhole(!isWhole)}>
          <span>{isWhole ? "fewer" : `${namespaces.length - FEW} more`}</span>
        </button>
      )}
      {hasColumns && (
        <Text size="xs" c="dimmed">
          <svg width="22" height="6" role="img" aria-label="solid line">
            <line x1="0" y1="3" x2="22" y2="3" stroke={usageColour("direct")} strokeWidth="2" />
          </svg>{" "}
          Direct{" "}
          <svg width="22" height="6" role="img" aria-label="dashed line" style={{ marginInlineStart: 8 }}>
            <line x1="0" y1="3" x2="22" y2="3" stroke={usageColour("indirect")} strokeWidth="2" strokeDasharray="5 4" />
          </svg>{" "}
          Indirect (filter, join, group)
        </Text>
      )}
    </Paper>
  );
}
