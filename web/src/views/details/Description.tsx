import { ActionIcon, Button, Group, Stack, Text, Textarea, Tooltip } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { useState } from "react";
import type { ResolvedNode } from "@/api/hooks";
import { ErrorAlert } from "@/parts/ErrorAlert";
import classes from "@/parts/parts.module.css";
import { useDescribe } from "@/views/details/edits";

interface Props {
  entity: Pick<ResolvedNode, "kind" | "namespace" | "name">;
  description: string | null;
}

/** What people say about it, and a pencil. */
export function Description({ entity, description }: Props) {
  const [draft, setDraft] = useState<string | null>(null);
  const describe = useDescribe(entity);
  if (draft === null) {
    return (
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <Text size="sm" className={classes.free} c={description ? undefined : "dimmed"}>
          {description || "No description yet."}
        </Text>
        <Tooltip label="Edit description">
          <ActionIcon
            variant="subtle"
            size="sm"
            color="gray"
            aria-label="Edit description"
            onClick={() => setDraft(description ?? "")}
          >
            <IconPencil size={15} />
          </ActionIcon>
        </Tooltip>
      </Group>
    );
  }
  const save = () => describe.mutate(draft.trim(), { onSuccess: () => setDraft(null) });
  return (
    <Stack gap="xs">
      <Textarea
        label="Description"
        autosize
        minRows={2}
        maxRows={10}
        value={draft}
        data-autofocus
        onChange={(event) => setDraft(event.currentTarget.value)}
      />
      {describe.isError && <ErrorAlert error={describe.error} />}
      <Group gap="xs">
        <Button size="compact-sm" onClick={save} loading={describe.isPending}>
          Save
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => setDraft(null)}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
