import { Pill } from "@/parts/Pill";
import { eventColour, stateColour, stateName } from "@/theme/states";

export function StateBadge({ state }: { state: string | null | undefined }) {
  return <Pill colour={stateColour(state)}>{stateName(state)}</Pill>;
}

/** An event's type as OpenLineage spells it. */
export function EventBadge({ type }: { type: string }) {
  return (
    <Pill colour={eventColour(type)} square>
      {type}
    </Pill>
  );
}
