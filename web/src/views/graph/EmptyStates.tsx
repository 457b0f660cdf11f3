import { Anchor, Button, Center, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { namespacesQuery } from "@/api/queries";
import type { Change } from "@/state/useGraphState";
import { TOOLBAR } from "@/views/graph/sizes";

// Most servers have events.
const GettingStarted = lazy(() => import("@/parts/GettingStarted"));

/** No events yet: how to send the first one. */
export function NoEvents() {
  return (
    <Center
      pos="absolute"
      inset={0}
      top={TOOLBAR}
      p="md"
      style={{ zIndex: 3, overflow: "auto", alignItems: "safe center" }}
    >
      <Suspense>
        <GettingStarted />
      </Suspense>
    </Center>
  );
}

export function NoPath({ change }: { change: Change }) {
  return (
    <Notice title="No path between these two">
      <Text size="sm">Nothing is known to flow from one to the other, in either direction.</Text>
      <Button variant="default" onClick={() => change({ pathFrom: null, pathTo: null, view: null })}>
        Back to the graph
      </Button>
    </Notice>
  );
}

interface TooLargeProps {
  what: string;
  change: Change;
  hasFocus: boolean;
}

/** A picture of that many would say nothing and stop the browser. */
export function TooLarge({ what, change, hasFocus }: TooLargeProps) {
  const namespaces = useQuery(namespacesQuery());
  return (
    <Notice title="Too large to draw">
      <Text size="sm">{what} Search for a job or dataset above, or narrow it down:</Text>
      {hasFocus ? (
        <Button variant="default" onClick={() => change({ up: 1, down: 1, opened: new Set(), whole: new Set() })}>
          Show one job up and down
        </Button>
      ) : (
        <Group gap={6}>
          {namespaces.data?.namespaces.slice(0, 40).map(({ name }) => (
            <Button
              key={name}
              size="compact-sm"
              variant="default"
              onClick={() => change({ namespaces: new Set([name]), view: null })}
            >
              {name || "no namespace"}
            </Button>
          ))}
        </Group>
      )}
    </Notice>
  );
}

/** All is hidden or of another kind. */
export function NothingShown({ change }: { change: Change }) {
  return (
    <Notice title="Nothing to show">
      <Text size="sm">Everything is hidden or filtered out.</Text>
      <Anchor component="button" onClick={() => change({ hidden: new Set(), grain: "all", closed: new Set() })}>
        Show all
      </Anchor>
    </Notice>
  );
}

function Notice({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Center pos="absolute" inset={0} style={{ zIndex: 3 }}>
      <Paper withBorder p="xl" maw={620} shadow="sm">
        <Stack gap="sm">
          <Title order={2} size="h3">
            {title}
          </Title>
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
