import { Drawer, Text } from "@mantine/core";

export interface DetailsProps {
  nodeId: string | null; // null: closed
  onClose: () => void;
  onNavigate: (nodeId: string) => void;
}

/** Everything about one job, dataset or column, beside the view that one came from. */
export function DetailsDrawer({ nodeId, onClose }: DetailsProps) {
  return (
    <Drawer opened={nodeId !== null} onClose={onClose} position="right" size="lg" title="Details">
      <Text>{nodeId}</Text>
    </Drawer>
  );
}
