/** What the drawer shows is in the address: `details` the node, `tab` the tab, `run` the run. */

import { setParams } from "@/parts/useParam";

/** Opens the drawer beside the present view. Going back closes it. */
export function openDetails(nodeId: string, more: { tab?: string; run?: string } = {}): void {
  setParams({ details: nodeId, tab: more.tab, run: more.run }, { replace: false });
}

export function closeDetails(): void {
  setParams({ details: null, tab: null, run: null });
}
