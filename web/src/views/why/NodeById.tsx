import { useFound } from "@/parts/asks";
import { NodeName } from "@/parts/NodeName";
import { cut } from "@/parts/words";
import { openDetails } from "@/views/details/open";

/** A node of which only the id is known: its name follows. */
export function NodeById({ nodeId }: { nodeId: string }) {
  const found = useFound(nodeId).data;
  return (
    <NodeName
      nodeId={nodeId}
      name={found?.column ?? found?.name ?? cut(nodeId, 200)}
      namespace={found?.namespace}
      onClick={(id) => openDetails(id)}
    />
  );
}
