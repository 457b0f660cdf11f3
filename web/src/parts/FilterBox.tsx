import { CloseButton, TextInput } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  width?: number | string;
}

/** Narrows down what is on the screen already. */
export function FilterBox({ label, value, onChange, width }: Props) {
  return (
    <TextInput
      size="xs"
      w={width}
      aria-label={label}
      placeholder={label}
      leftSection={<IconFilter size={14} />}
      rightSection={value === "" ? null : <CloseButton size="xs" aria-label="Clear" onClick={() => onChange("")} />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
