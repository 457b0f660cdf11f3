import { Box, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** A part of a tab with a small heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box component="section" mt="lg">
      <Title order={3} size="h5" mb={6}>
        {title}
      </Title>
      {children}
    </Box>
  );
}
