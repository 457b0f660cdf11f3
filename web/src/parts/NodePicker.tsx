import { Combobox, Loader, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import type { SearchHit } from "@/api/schema";
import { useSearchHits } from "@/parts/asks";
import { NodeName } from "@/parts/NodeName";
import { cut } from "@/parts/words";

interface Props {
  label: string;
  placeholder?: string;
  onPick: (nodeId: string) => void;
}

/** Finds a job or dataset by parts of its name. */
export function NodePicker({ label, placeholder, onPick }: Props) {
  const [text, setText] = useState("");
  const [wanted] = useDebouncedValue(text, 120);
  const asked = useSearchHits({ q: wanted, limit: 8 });
  const box = useCombobox();
  const hits = wanted.trim() === "" ? [] : (asked.data?.results ?? []);
  const pick = (nodeId: string) => {
    setText("");
    box.closeDropdown();
    onPick(nodeId);
  };
  return (
    <Combobox store={box} onOptionSubmit={pick}>
      <Combobox.Target>
        <TextInput
          size="xs"
          label={label}
          placeholder={placeholder ?? "Type part of a name"}
          value={text}
          rightSection={asked.isFetching ? <Loader size={14} /> : null}
          onChange={(event) => {
            setText(event.currentTarget.value);
            box.openDropdown();
            box.updateSelectedOptionIndex();
          }}
          onFocus={() => box.openDropdown()}
          onBlur={() => box.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={wanted.trim() === ""}>
        <Combobox.Options aria-label="Matches">
          {hits.map((hit) => (
            <Hit key={hit.nodeId} hit={hit} />
          ))}
          {hits.length === 0 && <Combobox.Empty>{asked.isFetching ? "…" : "No matches"}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function Hit({ hit }: { hit: SearchHit }) {
  return (
    <Combobox.Option value={hit.nodeId}>
      <NodeName nodeId={hit.nodeId} name={cut(hit.name, 200)} namespace={cut(hit.namespace, 200)} />
    </Combobox.Option>
  );
}
