import { Pill } from "@/parts/Pill";
import { stateColour, stateName } from "@/states";

/** The state of a connector or task, spelled like that of a run. */
export function State({ state }: { state: string }) {
  return <Pill colour={stateColour(state)}>{stateName(state)}</Pill>;
}
