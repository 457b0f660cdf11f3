import { Autocomplete } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { searchQuery } from "@/api/queries";
import type { Scene } from "@/graph/scene";
import { FIND } from "@/views/graph/FindBox";

interface Props {
  text: string;
  onChange: (text: string) => void;
  scene: Scene;
  flyTo: (id: string) => void;
  onFocus: (id: string) => void;
}

const FEW = 8;

/** Finds a card and flies to it; what is not in the picture becomes its new focus. */
export default function FindSuggest({ text, onChange, scene, flyTo, onFocus }: Props) {
  const box = useRef<HTMLInputElement>(null);
  const [settled] = useDebouncedValue(text, 150);
  const hits = useQuery(searchQuery(settled, FEW));
  const { data, ids } = useMemo(() => {
    const words = text.trim().toLowerCase();
    const ids = new Map<string, string>();
    // Names may be the same in several namespaces: the option shows both.
    const option = (id: string, label: string, namespace: string) => {
      const shown = `${label} · ${namespace || "no namespace"}`;
      if (!ids.has(shown)) ids.set(shown, id);
      return shown;
    };
    const here =
      words === ""
        ? []
        : [...scene.cards.values()]
            .filter((card) => card.node.name.toLowerCase().includes(words))
            .slice(0, FEW)
            .map((card) => option(card.id, card.node.label, card.node.namespace));
    const elsewhere = (hits.data?.results ?? [])
      .filter((hit) => !scene.cards.has(hit.nodeId))
      .map((hit) => option(hit.nodeId, hit.name, hit.namespace))
      .filter((shown) => !here.includes(shown));
    const groups = [
      { group: "In this view", items: [...new Set(here)] },
      { group: "Elsewhere", items: [...new Set(elsewhere)] },
    ];
    return { data: groups.filter(({ items }) => items.length > 0), ids };
  }, [scene, text, hits.data]);
  return (
    <Autocomplete
      ref={box}
      {...FIND}
      autoFocus
      data={data}
      filter={({ options }) => options}
      comboboxProps={{ width: 340, position: "bottom-start" }}
      value={text}
      onChange={onChange}
      onOptionSubmit={(shown) => {
        const id = ids.get(shown);
        if (id === undefined) return;
        if (scene.cards.has(id)) flyTo(id);
        else onFocus(id);
        // The box would keep the chosen text, which is of no use for the next search.
        setTimeout(() => onChange(""), 0);
        box.current?.blur();
      }}
    />
  );
}
