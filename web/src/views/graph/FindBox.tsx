import { TextInput } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconFocusCentered } from "@tabler/icons-react";
import { useRef, useState } from "react";
import type { Scene } from "@/graph/scene";
import { useLazy } from "@/parts/useLazy";

interface Props {
  scene: Scene;
  flyTo: (id: string) => void;
  onFocus: (id: string) => void;
}

/** Properties of the box, the same before and after its suggestions are loaded. */
export const FIND = {
  "data-find": true,
  size: "xs",
  w: 170,
  "aria-label": "Find a card",
  placeholder: "Find a card (G)",
  leftSection: <IconFocusCentered size={14} />,
} as const;

/** Finds a card; the suggestions are loaded when the box gets the focus. */
export function FindBox(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [text, setText] = useState("");
  const [Suggest, load] = useLazy(() => import("@/views/graph/FindSuggest"));
  useHotkeys([["G", () => place.current?.querySelector<HTMLElement>("[data-find]")?.focus()]]);
  return (
    <div ref={place}>
      {Suggest === null ? (
        <TextInput {...FIND} value={text} onFocus={load} onChange={(event) => setText(event.currentTarget.value)} />
      ) : (
        <Suggest {...props} text={text} onChange={setText} />
      )}
    </div>
  );
}
