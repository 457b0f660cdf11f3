import { Combobox, Kbd, Text, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { graphAddress } from "@/api/names";
import { useSearchHits } from "@/parts/asks";
import { NodeName } from "@/parts/NodeName";
import { cut, plural } from "@/parts/words";

const SHOWN = 7;
const ALL = "all"; // the option that leads to the search view; node ids have a colon

/** The box in the header, with results as one types; `/` goes to it from everywhere. */
export function SearchBox() {
  const box = useRef<HTMLInputElement>(null);
  const [path, go] = useLocation();
  const [params] = useSearchParams();
  const asked = path === "/search" ? (params.get("q") ?? "") : "";
  const [text, setText] = useState(asked);
  const [wanted] = useDebouncedValue(text.trim(), 120);
  const list = useCombobox({ onDropdownClose: () => list.resetSelectedOption() });
  const hits = useSearchHits({ q: wanted, limit: SHOWN });
  useHotkeys([["/", () => box.current?.focus()]]);
  // The search view changes the words too.
  useEffect(() => setText(asked), [asked]);

  const all = () => {
    list.closeDropdown();
    if (text.trim() !== "") go(`/search?q=${encodeURIComponent(text.trim())}`);
  };
  const pick = (value: string) => {
    if (value === ALL) return all();
    list.closeDropdown();
    setText("");
    box.current?.blur();
    go(graphAddress(value));
  };
  const results = wanted === "" ? [] : (hits.data?.results ?? []);
  return (
    <search style={{ flex: 1, maxWidth: 460 }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          all();
        }}
      >
        <Combobox store={list} onOptionSubmit={pick}>
          <Combobox.Target>
            <TextInput
              ref={box}
              aria-label="Search jobs, datasets and columns"
              placeholder="Search jobs, datasets, columns"
              leftSection={<IconSearch size={16} />}
              rightSection={<Kbd size="xs">/</Kbd>}
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value);
                if (path !== "/search") list.openDropdown();
              }}
              onFocus={() => path !== "/search" && list.openDropdown()}
              onBlur={() => list.closeDropdown()}
            />
          </Combobox.Target>
          <Combobox.Dropdown hidden={wanted === "" || path === "/search"}>
            <Combobox.Options aria-label="Results">
              {results.map((hit) => (
                <Combobox.Option key={hit.nodeId} value={hit.nodeId}>
                  <NodeName nodeId={hit.nodeId} name={cut(hit.name, 200)} namespace={cut(hit.namespace, 200)} />
                </Combobox.Option>
              ))}
              {results.length === 0 && !hits.isFetching && <Combobox.Empty>Nothing by that name</Combobox.Empty>}
              {results.length > 0 && (
                <Combobox.Option value={ALL}>
                  <Text size="sm" fw={550}>
                    All {plural(hits.data?.totalCount ?? 0, "result")} for “{cut(wanted, 40)}”
                  </Text>
                </Combobox.Option>
              )}
            </Combobox.Options>
          </Combobox.Dropdown>
        </Combobox>
      </form>
    </search>
  );
}
