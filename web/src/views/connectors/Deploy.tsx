import { Button, Group, Modal, Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { ConfigCheck, ConfigField, ConnectorDetails } from "@/api/schema";
import { cut, plural } from "@/parts/format";
import parts from "@/parts/parts.module.css";
import { setParams } from "@/parts/useParam";
import { CLOSE, Failed, Name } from "@/views/connectors/Actions";
import { readConfig, writeConfig } from "@/views/connectors/configText";
import classes from "@/views/connectors/connectors.module.css";
import { type Config, usePlugins, usePut, useValidate } from "@/views/connectors/queries";

interface Props {
  clusters: string[];
  existing?: ConnectorDetails;
  onClose: () => void;
}

/** A connector from JSON. Its class says what it thinks of each option before anything is made. */
export function Deploy({ clusters, existing, onClose }: Props) {
  const [cluster, setCluster] = useState(existing?.cluster ?? clusters[0] ?? "");
  const [name, setName] = useState(existing?.name ?? "");
  const [text, setText] = useState(existing === undefined ? "" : writeConfig(existing.config));
  const [unreadable, setUnreadable] = useState<string | null>(null);
  const validate = useValidate();
  const put = usePut();

  const read = (): { name: string; config: Config } | null => {
    try {
      const parsed = readConfig(text);
      const chosenName = name.trim() || (parsed.name ?? "");
      setName(chosenName);
      setUnreadable(null);
      return { name: chosenName, config: parsed.config };
    } catch (error) {
      setUnreadable(error instanceof Error ? error.message : String(error));
      return null;
    }
  };
  const check = () => {
    const connector = read();
    if (connector !== null) validate.mutate({ cluster, ...connector });
  };
  const submit = () => {
    const connector = read();
    if (connector === null) return;
    const change = { cluster, ...connector, isNew: existing === undefined };
    // The messages come beside the options; only what has none goes on.
    validate.mutate(
      { cluster, ...connector },
      {
        onSuccess: ({ errorCount }) => {
          if (errorCount > 0) return;
          put.mutate(change, {
            onSuccess: () => {
              onClose();
              setParams({ cluster, connector: connector.name });
            },
          });
        },
      },
    );
  };
  const setOption = (option: string, value: string) => {
    try {
      const { config } = readConfig(text);
      if (value === "") delete config[option];
      else config[option] = value;
      setText(writeConfig(config));
    } catch {
      // The text is being written by hand; its own message says what is wrong with it.
    }
  };
  const title = existing === undefined ? "Deploy a connector" : `Edit ${cut(existing.name, 80)}`;
  return (
    <Modal opened onClose={onClose} title={title} size="xl" closeOnClickOutside={false} closeButtonProps={CLOSE}>
      <Stack gap="sm">
        {existing === undefined && (
          <Group grow align="flex-start">
            <Select label="Cluster" data={clusters} value={cluster} onChange={(to) => setCluster(to ?? cluster)} />
            <TextInput label="Name" value={name} onChange={(event) => setName(event.currentTarget.value)} />
          </Group>
        )}
        {existing === undefined && text.trim() === "" && <Begin cluster={cluster} onPick={setText} />}
        <Textarea
          className={classes.json}
          label="Configuration"
          description='JSON: {"name": …, "config": {…}}, or only the options. [hidden] values stay unchanged.'
          autosize
          minRows={6}
          maxRows={16}
          value={text}
          error={unreadable}
          spellCheck={false}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {validate.data !== undefined && <Checked check={validate.data} text={text} onChange={setOption} />}
        <Name />
        <Failed
          error={validate.error ?? put.error}
          title={validate.error === null ? "The change failed" : "Validation failed"}
        />
        <Group justify="flex-end">
          <Button variant="default" loading={validate.isPending} onClick={check}>
            Validate
          </Button>
          <Button loading={put.isPending} onClick={submit}>
            {existing === undefined ? "Deploy" : "Save"}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The options that a class wants at least, to begin with. */
function Begin({ cluster, onPick }: { cluster: string; onPick: (text: string) => void }) {
  const plugins = usePlugins(cluster);
  const classesOf = plugins.data?.plugins ?? [];
  return (
    <Select
      label="Start from a class"
      placeholder="or paste JSON below"
      searchable
      data={classesOf.map((plugin) => plugin.className)}
      onChange={(kind) => {
        if (kind === null) return;
        const isSink = classesOf.find((plugin) => plugin.className === kind)?.type === "sink";
        onPick(writeConfig({ "connector.class": kind, "tasks.max": "1", ...(isSink ? { topics: "" } : {}) }));
      }}
    />
  );
}

/** What the class says: options with problems first, each with its message beside it, then those that were given. */
function Checked({
  check,
  text,
  onChange,
}: {
  check: ConfigCheck;
  text: string;
  onChange: (option: string, value: string) => void;
}) {
  const given = optionsOf(text);
  const shown = check.fields
    .filter((field) => field.name !== "name" || field.errors.length > 0) // it has a place of its own
    .filter((field) => field.errors.length > 0 || field.name in given || field.required)
    .sort((a, b) => Number(b.errors.length > 0) - Number(a.errors.length > 0));
  return (
    <section aria-label="Validation result">
      <Text size="sm" fw={600} className={check.errorCount > 0 ? parts.removed : parts.added} role="status">
        {check.errorCount === 0 ? "Valid: no problems found." : `${plural(check.errorCount, "problem")} to fix`}
      </Text>
      <div className={classes.options}>
        {shown.map((field) => (
          <Option key={field.name} field={field} value={given[field.name] ?? ""} onChange={onChange} />
        ))}
      </div>
    </section>
  );
}

function Option({
  field,
  value,
  onChange,
}: {
  field: ConfigField;
  value: string;
  onChange: (option: string, value: string) => void;
}) {
  return (
    <TextInput
      label={field.name}
      description={cut(field.documentation, 160)}
      required={field.required}
      placeholder={field.default ?? ""}
      value={value}
      error={field.errors.length > 0 ? field.errors.join(" ") : undefined}
      onChange={(event) => onChange(field.name, event.currentTarget.value)}
    />
  );
}

function optionsOf(text: string): Config {
  try {
    return readConfig(text).config;
  } catch {
    return {};
  }
}
