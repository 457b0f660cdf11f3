import { useQuery } from "@tanstack/react-query";
import { datasetAsked } from "@/api/ask";
import { rowsOf } from "@/graph/cards";
import type { DatasetNode } from "@/graph/model";
import { ColumnRows } from "@/views/graph/ColumnRows";
import classes from "@/views/graph/NodeCard.module.css";

/** The columns of a dataset while the pointer rests on its card: over the others, so that nothing moves. */
export function ColumnPeek({ node }: { node: DatasetNode }) {
  const asked = useQuery({ ...datasetAsked(node.namespace, node.name), enabled: node.fields === null });
  const fields = node.fields ?? asked.data?.fields ?? null;
  return (
    <div className={classes.peek}>
      <ColumnRows rows={rowsOf({ ...node, fields }, true, null)} />
    </div>
  );
}
