import { useQuery } from "@tanstack/react-query";
import { datasetQuery } from "@/api/queries";
import { rowsOf } from "@/graph/cards";
import type { DatasetNode } from "@/graph/model";
import { ColumnRows } from "@/views/graph/ColumnRows";
import classes from "@/views/graph/ColumnRows.module.css";

/** The columns of a dataset while the pointer rests on its card: over the others, so that nothing moves. */
export function ColumnPeek({ node }: { node: DatasetNode }) {
  const dataset = useQuery({ ...datasetQuery(node.namespace, node.name), enabled: node.fields === null });
  const fields = node.fields ?? dataset.data?.fields ?? null;
  return (
    <div className={classes.peek}>
      <ColumnRows rows={rowsOf({ ...node, fields }, true, null)} />
    </div>
  );
}
