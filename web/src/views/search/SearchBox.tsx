import { TextInput } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { useLazy } from "@/parts/useLazy";
import { BOX } from "@/views/search/box";

/** The box in the header, with results as one types; `/` goes to it from everywhere. */
export function SearchBox() {
  const place = useRef<HTMLElement>(null);
  const [path, go] = useLocation();
  const [params] = useSearchParams();
  const queryParam = path === "/search" ? (params.get("q") ?? "") : "";
  const [text, setText] = useState(queryParam);
  const [Suggest, load] = useLazy(() => import("@/views/search/SuggestBox"));
  useHotkeys([["/", () => place.current?.querySelector<HTMLElement>("[data-search]")?.focus()]]);
  // The search view changes the words too.
  useEffect(() => setText(queryParam), [queryParam]);
  const all = () => {
    if (text.trim() !== "") go(`/search?q=${encodeURIComponent(text.trim())}`);
  };
  return (
    <search ref={place} style={{ flex: 1, maxWidth: 460 }}>
      {/* Around both, so that Enter leads there whether the suggestions have come or not. */}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          all();
        }}
      >
        {Suggest === null ? (
          <TextInput {...BOX} value={text} onFocus={load} onChange={(event) => setText(event.currentTarget.value)} />
        ) : (
          <Suggest text={text} onChange={setText} onAll={all} />
        )}
      </form>
    </search>
  );
}
