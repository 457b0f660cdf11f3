import { TextInput } from "@mantine/core";

interface Props {
  label: string;
  value: string | null; // ISO 8601, or null for the default
  onChange: (value: string | null) => void;
}

/** A moment in the reader's own time zone; empty is the default. */
export function MomentInput({ label, value, onChange }: Props) {
  return (
    <TextInput
      size="xs"
      type="datetime-local"
      step={1}
      label={label}
      value={value === null ? "" : local(value)}
      onChange={(event) => {
        const typed = event.currentTarget.value;
        const ms = Date.parse(typed);
        if (typed === "") onChange(null);
        else if (!Number.isNaN(ms)) onChange(new Date(ms).toISOString());
      }}
    />
  );
}

/** As the browser's control wants it: local time without a zone. */
function local(iso: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return "";
  const zone = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - zone).toISOString().slice(0, 19);
}
