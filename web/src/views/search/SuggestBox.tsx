import { Combobox, Text, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useLocation } from "wouter";
import { useSearchHits } from "@/api/hooks";
import { graphAddress } from "@/parts/addresses";
import { cut, plural } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";
import { BOX } from "@/views/search/box";

const SHOWN = 7;
const ALL = "all"; // the option that leads to the search view; node ids have a colon

interface Props {
  text: string;
  onChange: (text: string) => void;
  onAll: () => void;
}

/** The box of the header with results below it; loaded with the first focus. */
export default function SuggestBox({ text, onChange, onAll }: Props) {
  const [path, go] = useLocation();
  const [query] = useDebouncedValue(text.trim(), 120);
  const list = useCombobox({ onDropdownClose: () => list.resetSelectedOption() });
  const hits = useSearchHits({ q: query, limit: SHOWN });

  const pick = (value: string) => {
    list.closeDropdown();
    if (value === ALL) return onAll();
    onChange("");
    go(graphAddress(value));
  };
  const results = query === "" ? [] : (hits.data?.results ?? []);
  return (
    <Combobox store={list} onOptionSubmit={pick}>
      <Combobox.Target>
        <TextInput
          {...BOX}
          autoFocus
          value={text}
          onChange={(event) => {
            onChange(event.currentTarget.value);
            if (path !== "/search") list.openDropdown();
          }}
          onFocus={() => path !== "/search" && list.openDropdown()}
          onBlur={() => list.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={query === "" || path === "/search"}>
        <Combobox.Options aria-label="Results">
          {results.map((hit) => (
            <Combobox.Option key={hit.nodeId} value={hit.nodeId}>
              <NodeName nodeId={hit.nodeId} name={cut(hit.name, 200)} namespace={cut(hit.namespace, 200)} />
            </Combobox.Option>
          ))}
          {results.length === 0 && !hits.isFetching && <Combobox.Empty>No matches</Combobox.Empty>}
          {results.length > 0 && (
            <Combobox.Option value={ALL}>
              <Text size="sm" fw={550}>
                All {plural(hits.data?.totalCount ?? 0, "result")} for “{cut(query, 40)}”
              </Text>
            </Combobox.Option>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
