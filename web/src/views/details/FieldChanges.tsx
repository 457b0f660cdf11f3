import { Text } from "@mantine/core";
import type { FieldRef, FieldRetyped } from "@/api/schema";
import { cut } from "@/parts/format";
import classes from "@/parts/parts.module.css";

interface Props {
  added?: FieldRef[];
  removed?: FieldRef[];
  retyped?: FieldRetyped[];
}

/** Columns that came, went and got another type: a sign, a name, a type for each. */
export function FieldChanges({ added = [], removed = [], retyped = [] }: Props) {
  return (
    <div>
      {added.map((field) => (
        <Line key={`+${field.name}`} look={classes.added} sign="+" word="added" name={field.name} type={field.type} />
      ))}
      {removed.map((field) => (
        <Line
          key={`-${field.name}`}
          look={classes.removed}
          sign="−"
          word="removed"
          name={field.name}
          type={field.type}
        />
      ))}
      {retyped.map((field) => (
        <Line
          key={`~${field.name}`}
          look={classes.retyped}
          sign="~"
          word="type changed"
          name={field.name}
          type={`${field.before ?? "unknown"} → ${field.after ?? "unknown"}`}
        />
      ))}
    </div>
  );
}

interface LineProps {
  look: string | undefined;
  sign: string;
  word: string;
  name: string;
  type: string | null;
}

function Line({ look, sign, word, name, type }: LineProps) {
  return (
    <Text size="sm" ff="monospace" className={`${look ?? ""} ${classes.free}`}>
      <span aria-hidden>{sign} </span>
      <bdi>{cut(name, 200)}</bdi> {type !== null && cut(type, 200)}{" "}
      <Text component="span" size="xs" ff="text">
        ({word})
      </Text>
    </Text>
  );
}
