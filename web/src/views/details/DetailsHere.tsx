import { lazy, Suspense } from "react";
import { useParam } from "@/parts/useParam";
import { closeDetails, openDetails } from "@/views/details/open";

const DetailsDrawer = lazy(async () => ({ default: (await import("@/views/details/Drawer")).DetailsDrawer }));

/** The drawer of a view that has no other use for it than to show what was clicked. */
export function DetailsHere() {
  const [nodeId] = useParam("details");
  if (nodeId === null) return null;
  return (
    <Suspense fallback={null}>
      <DetailsDrawer nodeId={nodeId} onClose={closeDetails} onNavigate={(next) => openDetails(next)} />
    </Suspense>
  );
}
