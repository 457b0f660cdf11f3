import { Stack, Text, ThemeIcon } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  Icon: React.ComponentType<{ size?: number }>;
  title: string;
  children?: ReactNode; // what to do next
}

/** Nothing is here, and why that may be. */
export function Empty({ Icon, title, children }: Props) {
  return (
    <Stack align="center" gap="xs" py="lg" px="md" ta="center">
      <ThemeIcon variant="light" size={38} radius="xl">
        <Icon size={20} />
      </ThemeIcon>
      <Text fw={600} size="sm">
        {title}
      </Text>
      <Text size="sm" c="dimmed" component="div" maw={520}>
        {children}
      </Text>
    </Stack>
  );
}
