import { Anchor, Table } from "@mantine/core";
import { type ReactNode, useState } from "react";

const PAGE = 100;

interface Props<T> {
  items: T[];
  children: (item: T) => ReactNode;
  columns?: number;
}

/** Rows of a table, so many that the browser stays quick; a last row shows more of them. */
export function More<T>({ items, children, columns = 12 }: Props<T>) {
  const [shown, setShown] = useState(PAGE);
  return (
    <>
      {items.slice(0, shown).map(children)}
      {items.length > shown && (
        <Table.Tr>
          <Table.Td colSpan={columns}>
            <Anchor component="button" type="button" size="sm" onClick={() => setShown(shown + 5 * PAGE)}>
              Show more ({(items.length - shown).toLocaleString("en")} left)
            </Anchor>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}
