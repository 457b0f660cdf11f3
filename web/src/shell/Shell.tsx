import { AppShell, Box, Group, Text, UnstyledButton } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link, useRoute } from "wouter";
import { ColourSwitch } from "@/shell/ColourSwitch";
import classes from "@/shell/Shell.module.css";
import { VIEWS } from "@/views";
import { SearchBox } from "@/views/search/SearchBox";

export const HEADER_HEIGHT = 52;

export function Shell({ children }: { children: ReactNode }) {
  return (
    <AppShell header={{ height: HEADER_HEIGHT }} padding={0}>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="md" wrap="nowrap" justify="space-between">
          <Group gap="lg" wrap="nowrap">
            <UnstyledButton component={Link} href="/" aria-label="Headwater, home">
              <Group gap={8} wrap="nowrap">
                <img src="/icon.svg" alt="" width={26} height={26} />
                <Text fw={650} visibleFrom="sm">
                  Headwater
                </Text>
              </Group>
            </UnstyledButton>
            <Group component="nav" aria-label="Main" gap={4} wrap="nowrap">
              {VIEWS.map(({ path, place }) => place !== undefined && <Place key={path} path={path} {...place} />)}
            </Group>
          </Group>
          <SearchBox />
          <ColourSwitch />
        </Group>
      </AppShell.Header>
      <AppShell.Main id="main" tabIndex={-1}>
        <Box>{children}</Box>
      </AppShell.Main>
    </AppShell>
  );
}

function Place({ path, name, Icon }: { path: string; name: string; Icon: Icon }) {
  const [isHere] = useRoute(path);
  return (
    <Link href={path} className={classes.place} aria-current={isHere ? "page" : undefined} aria-label={name}>
      <Icon size={17} />
      <Text size="sm" component="span" visibleFrom="xs">
        {name}
      </Text>
    </Link>
  );
}
