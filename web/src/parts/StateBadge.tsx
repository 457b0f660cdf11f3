import { Badge } from "@mantine/core";
import classes from "@/parts/parts.module.css";
import { lookOf, lookOfEvent } from "@/parts/states";

export function StateBadge({ state }: { state: string | null | undefined }) {
  const look = lookOf(state);
  return (
    <Badge className={classes.badge} variant="light" color={look.colour} size="sm" data-state={state}>
      {look.word}
    </Badge>
  );
}

export function EventBadge({ type }: { type: string }) {
  const look = lookOfEvent(type);
  return (
    <Badge className={classes.badge} variant="light" color={look.colour} size="sm" radius="sm">
      {look.word}
    </Badge>
  );
}
