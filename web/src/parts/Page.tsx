import { Box, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { DetailsFromAddress } from "@/views/details/DetailsFromAddress";

interface Props {
  title: string;
  about?: ReactNode; // one line below the title
  actions?: ReactNode;
  children: ReactNode;
}

/** A view with a heading. Details of whatever is clicked in it open beside it. */
export function Page({ title, about, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Headwater`;
  }, [title]);
  return (
    <Box px={{ base: "sm", sm: "lg" }} py="md" maw={1440} mx="auto">
      <Stack gap="md">
        <Group justify="space-between" align="flex-end" gap="sm">
          <Box miw={0}>
            <Title order={1} size="h3">
              {title}
            </Title>
            {about !== undefined && (
              <Text c="dimmed" size="sm">
                {about}
              </Text>
            )}
          </Box>
          {actions}
        </Group>
        {children}
      </Stack>
      <DetailsFromAddress />
    </Box>
  );
}
