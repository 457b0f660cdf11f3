import { Alert, Button, Group, Text } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";

interface Props {
  title: string;
  advice: string; // what to do about it
  retry?: () => void;
  retryLabel?: string;
}

/** Something went wrong, and what one can do. */
export function AlertBox({ title, advice, retry, retryLabel }: Props) {
  return (
    <Alert m="lg" maw={640} color="red" variant="light" icon={<IconAlertCircle />} title={title} role="alert">
      <Text size="sm">{advice}</Text>
      {retry !== undefined && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={retry}>
            {retryLabel ?? "Try again"}
          </Button>
        </Group>
      )}
    </Alert>
  );
}
