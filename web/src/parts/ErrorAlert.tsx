import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { IconAlertCircle, IconPlugConnectedX } from "@tabler/icons-react";
import { Link } from "wouter";
import { ApiError } from "@/api/client";
import { Copyable } from "@/parts/Copyable";
import { cut } from "@/parts/format";
import classes from "@/parts/parts.module.css";

interface Props {
  error: Error;
  retry?: () => void;
}

const LONGEST = 600; // of a message: enough for any that the server writes itself

/** What went wrong, and what one can do about it. */
export function ErrorAlert({ error, retry }: Props) {
  const code = error instanceof ApiError ? error.code : undefined;
  const { title, advice } = explain(code);
  const near = code === 404 ? nearNames(error.message) : [];
  return (
    <Alert
      my="md"
      maw={720}
      color={code === 404 ? "yellow" : "red"}
      variant="light"
      icon={code === 0 ? <IconPlugConnectedX /> : <IconAlertCircle />}
      title={title}
      styles={{ title: { color: "inherit" } }}
      role="alert"
    >
      <Stack gap="xs">
        <Text size="sm" className={classes.free}>
          {cut(error.message, LONGEST)}
        </Text>
        {near.length > 0 && (
          <Group gap="xs">
            <Text size="sm">Search for</Text>
            {near.map((name) => (
              <Anchor key={name} size="sm" component={Link} href={`/search?q=${encodeURIComponent(name)}`}>
                <bdi>{cut(name, 80)}</bdi>
              </Anchor>
            ))}
          </Group>
        )}
        <Text size="sm">{advice}</Text>
        {code === 0 && <Copyable label="the command" text="headwater serve" />}
        {retry !== undefined && code !== 404 && (
          <Group>
            <Button size="xs" variant="default" onClick={retry}>
              Try again
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

function explain(code: number | undefined): { title: string; advice: string } {
  if (code === 0) {
    return {
      title: "Cannot reach the server",
      advice: "Start it again, or check the network. Stored events are safe.",
    };
  }
  if (code === 404) {
    return {
      title: "Not found",
      advice: "It may have been renamed or deleted. Search for part of its name.",
    };
  }
  if (code === 400) return { title: "Invalid request", advice: "Check the address of this page." };
  if (code === 502) return { title: "Kafka Connect does not answer", advice: "Check that its workers are running." };
  if (code === 503)
    return { title: "The server is busy", advice: "Try again in a moment. If it stays busy, check its disk." };
  if (code === 504) {
    return { title: "The query took too long", advice: "Ask for less: a smaller depth, or a node further downstream." };
  }
  if (code !== undefined && code >= 500) {
    return {
      title: "Server error",
      advice: "The server's log has the stack trace. Please report it with the steps that led here.",
    };
  }
  return { title: "Something went wrong", advice: "Reload the page. If it happens again, please report it." };
}

/** The names that a 404 offers: "… Did you mean a, b, c?" */
function nearNames(message: string): string[] {
  const offered = /Did you mean (.*)\?\s*$/s.exec(message)?.[1];
  return offered === undefined ? [] : offered.split(", ").filter((name) => name !== "");
}
