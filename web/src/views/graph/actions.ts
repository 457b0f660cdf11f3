/** What a card can do. A context, so that cards are not rendered again because a function is new. */

import { createContext, use } from "react";
import type { Way } from "@/graph/visible";

export interface Actions {
  select: (id: string | null) => void;
  details: (id: string) => void;
  hover: (id: string | null) => void;
  /** `isWide`: some are shown already, so now all are. */
  openStep: (way: Way, id: string, isWide: boolean) => void;
  toggleColumns: (id: string) => void;
  traceColumn: (column: string | null) => void;
  openGroup: (id: string) => void;
}

const NOBODY: Actions = {
  select: () => {},
  details: () => {},
  hover: () => {},
  openStep: () => {},
  toggleColumns: () => {},
  traceColumn: () => {},
  openGroup: () => {},
};

export const ActionsContext = createContext<Actions>(NOBODY);
export const useActions = () => use(ActionsContext);
