import { Button, Group, Text } from "@mantine/core";
import { useResolvedNode } from "@/api/hooks";
import { kindOf } from "@/api/names";
import { cut } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";
import { openDetails } from "@/views/details/open";

interface Props {
  nodeId: string;
  onChange: () => void; // choose something else
}

/** What a view is about, and a button to choose something else. */
export function Subject({ nodeId, onChange }: Props) {
  const isRun = nodeId.startsWith("run:");
  const resolved = useResolvedNode(isRun ? null : nodeId);
  const node = resolved.data;
  const name = node === undefined ? cut(nodeId, 300) : (node.column ?? node.name);
  const where = node?.column === undefined ? node?.namespace : `${node.namespace} · ${node.name}`;
  return (
    <Group gap="sm" wrap="nowrap" miw={0}>
      {isRun ? (
        <Text fw={550} truncate>
          {nodeId.replace("run:", "run ")}
        </Text>
      ) : (
        <NodeName
          nodeId={kindOf(nodeId) === "column" ? nodeId : (node?.nodeId ?? nodeId)}
          name={name}
          namespace={where}
          onClick={(id) => openDetails(id)}
        />
      )}
      <Button size="compact-xs" variant="default" onClick={onChange} style={{ flexShrink: 0 }}>
        Change
      </Button>
    </Group>
  );
}
