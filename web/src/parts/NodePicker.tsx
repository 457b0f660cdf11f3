import { Combobox, Loader, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useSearchHits } from "@/api/hooks";
import type { SearchHit } from "@/api/schema";
import { cut } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";

interface Props {
  label: string;
  placeholder?: string;
  onPick: (nodeId: string) => void;
}

/** Finds a job or dataset by parts of its name. */
export function NodePicker({ label, placeholder, onPick }: Props) {
  const [text, setText] = useState("");
  const [query] = useDebouncedValue(text, 120);
  const search = useSearchHits({ q: query, limit: 8 });
  const box = useCombobox();
  const hits = query.trim() === "" ? [] : (search.data?.results ?? []);
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
          rightSection={search.isFetching ? <Loader size={14} /> : null}
          onChange={(event) => {
            setText(event.currentTarget.value);
            box.openDropdown();
            box.updateSelectedOptionIndex();
          }}
          onFocus={() => box.openDropdown()}
          onBlur={() => box.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={query.trim() === ""}>
        <Combobox.Options aria-label="Matches">
          {hits.map((hit) => (
            <Hit key={hit.nodeId} hit={hit} />
          ))}
          {hits.length === 0 && <Combobox.Empty>{search.isFetching ? "…" : "No matches"}</Combobox.Empty>}
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
