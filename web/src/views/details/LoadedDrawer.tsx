import { Box, Drawer, Group, Stack } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useResolvedNode } from "@/api/hooks";
import { QueryResult } from "@/parts/QueryResult";
import { setParams } from "@/parts/useParam";
import { DatasetDetails } from "@/views/details/DatasetDetails";
import type { DetailsProps } from "@/views/details/Drawer";
import classes from "@/views/details/details.module.css";
import { Heading } from "@/views/details/Heading";
import { JobDetails } from "@/views/details/JobDetails";
import { useNonModalFocus } from "@/views/details/useNonModalFocus";
import { useRefetchOnChange } from "@/views/details/useRefetchOnChange";

/** The drawer itself; see `Drawer.tsx`. */
export default function LoadedDrawer({ nodeId, onClose, onNavigate }: DetailsProps) {
  const resolved = useResolvedNode(nodeId);
  useRefetchOnChange(nodeId);
  const content = useNonModalFocus();
  const isNarrow = useMediaQuery("(max-width: 48em)") ?? false;
  const close = () => {
    setParams({ tab: null, run: null });
    onClose();
  };
  // Tabs of one node make no sense for the next.
  const navigate = (next: string) => {
    setParams({ tab: null, run: null });
    onNavigate(next);
  };
  return (
    <Drawer.Root
      opened={nodeId !== null}
      onClose={close}
      position={isNarrow ? "bottom" : "right"}
      size={isNarrow ? "88%" : 640}
      lockScroll={false}
      trapFocus={false}
      keepMounted={false}
      classNames={{ content: isNarrow ? classes.sheet : classes.drawer }}
      transitionProps={{ duration: 120 }}
    >
      <Drawer.Content ref={content} aria-label="Details">
        {nodeId !== null && (
          <Stack gap="sm" p="md">
            <Group justify="flex-end" pos="absolute" top={12} right={12}>
              <Drawer.CloseButton aria-label="Close details" />
            </Group>
            <QueryResult query={resolved} lines={8}>
              {(node) => (
                <Box key={node.nodeId} miw={0}>
                  <Heading node={node} onNavigate={navigate} />
                  {node.kind === "job" ? (
                    <JobDetails node={node} onNavigate={navigate} />
                  ) : (
                    <DatasetDetails node={node} onNavigate={navigate} />
                  )}
                </Box>
              )}
            </QueryResult>
          </Stack>
        )}
      </Drawer.Content>
    </Drawer.Root>
  );
}
