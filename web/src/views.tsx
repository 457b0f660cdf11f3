/** All views. A new one is a folder in `views/`, a line here, and its path in `headwater/api/page.py`. */

import { type Icon, IconActivity, IconHome, IconPlugConnected, IconTopologyStar3 } from "@tabler/icons-react";
import { type ComponentType, lazy } from "react";

interface View {
  path: string;
  // Each view is a chunk of its own: what is not shown is not loaded.
  View: ComponentType;
  /** Its name in the header; the others are linked from where they are about something. */
  place?: { name: string; Icon: Icon };
}

export const VIEWS: readonly View[] = [
  { path: "/", View: lazy(() => import("@/views/home")), place: { name: "Home", Icon: IconHome } },
  { path: "/graph", View: lazy(() => import("@/views/graph")), place: { name: "Graph", Icon: IconTopologyStar3 } },
  {
    path: "/connectors",
    View: lazy(() => import("@/views/connectors")),
    place: { name: "Connectors", Icon: IconPlugConnected },
  },
  { path: "/events", View: lazy(() => import("@/views/events")), place: { name: "Events", Icon: IconActivity } },
  { path: "/search", View: lazy(() => import("@/views/search")) },
  { path: "/impact", View: lazy(() => import("@/views/impact")) },
  { path: "/why", View: lazy(() => import("@/views/why")) },
  { path: "/compare", View: lazy(() => import("@/views/compare")) },
];
