import { Pill } from "@/parts/Pill";
import { colourOf } from "@/views/connectors/looks";

/** The state of a connector or task, in Connect's own word. */
export function State({ state }: { state: string }) {
  return <Pill colour={colourOf(state)}>{state}</Pill>;
}
