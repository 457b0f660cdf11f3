import { Pill } from "@/parts/Pill";
import { lookOf, lookOfEvent } from "@/parts/states";

export function StateBadge({ state }: { state: string | null | undefined }) {
  const look = lookOf(state);
  return <Pill colour={look.colour}>{look.word}</Pill>;
}

export function EventBadge({ type }: { type: string }) {
  const look = lookOfEvent(type);
  return (
    <Pill colour={look.colour} square>
      {look.word}
    </Pill>
  );
}
