import { useResolvedNode } from "@/api/hooks";
import { cut } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";
import { openDetails } from "@/views/details/open";

/** A node of which only the id is known: its name follows. */
export function NodeById({ nodeId }: { nodeId: string }) {
  const node = useResolvedNode(nodeId).data;
  return (
    <NodeName
      nodeId={nodeId}
      name={node?.column ?? node?.name ?? cut(nodeId, 200)}
      namespace={node?.namespace}
      onClick={(id) => openDetails(id)}
    />
  );
}
