import { Alert, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { ConnectorDetails } from "@/api/schema";
import { cut } from "@/parts/format";
import parts from "@/parts/parts.module.css";
import { setParams } from "@/parts/useParam";
import { Deploy } from "@/views/connectors/Deploy";
import { type Action, type ConnectorId, useAct, useRestartTask } from "@/views/connectors/queries";
import { setUserName, userName } from "@/views/connectors/userName";

export const CLOSE = { "aria-label": "Close" };

const WORDS: Record<Action, { button: string; means: string; failed: string }> = {
  pause: { button: "Pause", means: "Its tasks stop processing until you resume it.", failed: "Pause failed" },
  resume: { button: "Resume", means: "It continues where it left off.", failed: "Resume failed" },
  stop: {
    button: "Stop",
    means: "Its tasks shut down. Configuration and offsets are kept; resume starts it again.",
    failed: "Stop failed",
  },
  restart: { button: "Restart", means: "Restarts the connector and all its tasks.", failed: "Restart failed" },
  "restart failed": {
    button: "Restart failed tasks",
    means: "Restarts the connector and tasks that failed, and nothing else.",
    failed: "Restart failed",
  },
  delete: {
    button: "Delete",
    means: "Deletes the connector and its configuration. Its lineage stays in the graph.",
    failed: "Delete failed",
  },
};

/** What makes sense for a connector in this state. */
function sensible(one: ConnectorDetails): Action[] {
  const failed = [one, ...one.tasks].some((each) => each.state === "FAILED");
  const first: Action[] = one.state === "PAUSED" || one.state === "STOPPED" ? ["resume"] : ["pause"];
  return [
    ...first,
    ...(one.state === "STOPPED" ? [] : (["stop", "restart"] as const)),
    ...(failed ? (["restart failed"] as const) : []),
    "delete",
  ];
}

export function Actions({ one }: { one: ConnectorDetails }) {
  const [chosen, setChosen] = useState<Action | null>(null);
  const [isEditing, setEditing] = useState(false);
  return (
    <Group gap="xs" role="group" aria-label="Actions">
      {sensible(one).map((action) => (
        <Button
          key={action}
          size="compact-sm"
          variant="default"
          className={action === "delete" ? parts.removed : undefined}
          onClick={() => setChosen(action)}
        >
          {WORDS[action].button}
        </Button>
      ))}
      <Button size="compact-sm" variant="default" onClick={() => setEditing(true)}>
        Edit
      </Button>
      {chosen !== null && <Confirm one={one} action={chosen} onClose={() => setChosen(null)} />}
      {isEditing && <Deploy clusters={[one.cluster]} existing={one} onClose={() => setEditing(false)} />}
    </Group>
  );
}

function Confirm({ one, action, onClose }: { one: ConnectorDetails; action: Action; onClose: () => void }) {
  const act = useAct();
  const words = WORDS[action];
  const go = () =>
    act.mutate(
      { cluster: one.cluster, name: one.name, action },
      {
        onSuccess: () => {
          onClose();
          if (action === "delete") setParams({ cluster: null, connector: null });
        },
      },
    );
  return (
    <Modal opened onClose={onClose} title={`${words.button}: ${cut(one.name, 80)}`} centered closeButtonProps={CLOSE}>
      <Stack gap="sm">
        <Text size="sm">{words.means}</Text>
        <Name onEnter={go} />
        <Failed error={act.error} title={words.failed} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color={action === "delete" ? "red.9" : undefined} loading={act.isPending} onClick={go}>
            {words.button}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Whose name goes into the log. */
export function Name({ onEnter }: { onEnter?: () => void }) {
  const [name, setName] = useState(userName());
  return (
    <TextInput
      label="Your name"
      description="Recorded in the log."
      value={name}
      onChange={(event) => {
        setName(event.currentTarget.value);
        setUserName(event.currentTarget.value);
      }}
      onKeyDown={(event) => event.key === "Enter" && onEnter?.()}
    />
  );
}

/** `title`: what failed, such as “Pause failed”. */
export function Failed({ error, title }: { error: Error | null; title: string }) {
  return (
    error !== null && (
      <Alert color="red" variant="light" role="alert" title={title} styles={{ title: { color: "inherit" } }}>
        <Text size="sm" className={parts.free}>
          {cut(error.message, 1000)}
        </Text>
      </Alert>
    )
  );
}

/** A single task is restarted without confirmation, once the name is known: nothing is lost by it. */
export function RestartTask({ cluster, name, task }: ConnectorId & { task: number }) {
  const restart = useRestartTask();
  const [isAsking, setAsking] = useState(false);
  const go = () => restart.mutate({ cluster, name, task }, { onSuccess: () => setAsking(false) });
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        loading={restart.isPending}
        onClick={() => (userName() === "" ? setAsking(true) : go())}
      >
        Restart
      </Button>
      <Failed error={restart.error} title="Restart failed" />
      {isAsking && (
        <Modal opened onClose={() => setAsking(false)} title={`Restart task ${task}`} centered closeButtonProps={CLOSE}>
          <Stack gap="sm">
            <Name onEnter={go} />
            <Failed error={restart.error} title="Restart failed" />
            <Button onClick={go} loading={restart.isPending}>
              Restart
            </Button>
          </Stack>
        </Modal>
      )}
    </>
  );
}
