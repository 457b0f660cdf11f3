import { useParam } from "@/parts/useParam";
import { DetailsDrawer } from "@/views/details/Drawer";
import { closeDetails, openDetails } from "@/views/details/open";

/** The drawer of a view that has no other use for it than to show what was clicked. */
export function DetailsFromAddress() {
  const [nodeId] = useParam("details");
  return <DetailsDrawer nodeId={nodeId} onClose={closeDetails} onNavigate={(next) => openDetails(next)} />;
}
