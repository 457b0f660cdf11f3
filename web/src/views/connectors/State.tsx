import { Pill } from "@/parts/Pill";
import { sentence } from "@/parts/words";
import { colourOf } from "@/views/connectors/looks";

/** The state of a connector or task, spelled like that of a run. */
export function State({ state }: { state: string }) {
  return <Pill colour={colourOf(state)}>{sentence(state)}</Pill>;
}
