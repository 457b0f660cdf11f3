import { Anchor, Box } from "@mantine/core";
import { type ReactNode, useState } from "react";

/** Something long that is shown on request. */
export function Fold({ label, children, open = false }: { label: string; children: ReactNode; open?: boolean }) {
  const [isOpen, setOpen] = useState(open);
  return (
    <Box mt={4}>
      <Anchor component="button" type="button" size="sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "▾" : "▸"} {label}
      </Anchor>
      {isOpen && <Box mt={6}>{children}</Box>}
    </Box>
  );
}
