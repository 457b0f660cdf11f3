import { lazy, Suspense, useState } from "react";

// Not needed for the first look at a view.
const LoadedDrawer = lazy(() => import("@/views/details/LoadedDrawer"));

export interface DetailsProps {
  nodeId: string | null; // null: closed
  onClose: () => void;
  onNavigate: (nodeId: string) => void;
}

/** Everything about one job, dataset or column, beside the view that one came from. */
export function DetailsDrawer(props: DetailsProps) {
  const [wasOpen, setWasOpen] = useState(props.nodeId !== null);
  if (props.nodeId !== null && !wasOpen) setWasOpen(true);
  if (!wasOpen) return null;
  return (
    <Suspense fallback={null}>
      <LoadedDrawer {...props} />
    </Suspense>
  );
}
