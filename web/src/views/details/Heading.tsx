import { Anchor, Box, Button, Group, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconArrowDownRight, IconTopologyStar3 } from "@tabler/icons-react";
import { Link } from "wouter";
import type { ResolvedNode } from "@/api/hooks";
import { shortName } from "@/api/names";
import { graphAddress, idOf, impactAddress, rootCauseAddress } from "@/parts/addresses";
import { cut } from "@/parts/format";
import classes from "@/parts/parts.module.css";

interface Props {
  node: ResolvedNode;
  onNavigate: (nodeId: string) => void;
}

const LONGEST = 400; // of a name that is shown whole; the facets have the rest

/** Name, kind, and where to go from here. */
export function Heading({ node, onNavigate }: Props) {
  const nodeId = idOf(node);
  return (
    <Box mb="sm">
      <Text size="xs" c="dimmed" tt="capitalize">
        {node.column === undefined ? node.kind : "column"}
      </Text>
      <Title order={2} size="h3" className={classes.free} pr={40}>
        {cut(node.column ?? shortName(node.name), LONGEST)}
      </Title>
      <Text size="sm" c="dimmed" className={classes.free}>
        {node.column !== undefined && (
          <>
            in{" "}
            <Anchor component="button" type="button" size="sm" onClick={() => onNavigate(node.nodeId)}>
              <bdi>{cut(shortName(node.name), 100)}</bdi>
            </Anchor>
            {" · "}
          </>
        )}
        {node.namespace === "" ? "no namespace" : node.namespace}
        {shortName(node.name) !== node.name && ` · ${cut(node.name, LONGEST)}`}
      </Text>
      <Group gap="xs" mt="sm">
        <Go href={graphAddress(node)} Icon={IconTopologyStar3} name="Graph" />
        <Go href={impactAddress(nodeId)} Icon={IconArrowDownRight} name="Impact" />
        <Go href={rootCauseAddress(nodeId)} Icon={IconAlertTriangle} name="Root cause" />
      </Group>
    </Box>
  );
}

function Go({ href, Icon, name }: { href: string; Icon: typeof IconTopologyStar3; name: string }) {
  return (
    <Button component={Link} href={href} size="compact-sm" variant="default" leftSection={<Icon size={15} />}>
      {name}
    </Button>
  );
}
