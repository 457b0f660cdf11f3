import { Kbd, TextInput } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useLocation } from "wouter";

/** The box in the header; `/` goes to it from everywhere. */
export function SearchBox() {
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [, go] = useLocation();
  useHotkeys([["/", () => box.current?.focus()]]);
  return (
    <search style={{ flex: 1, maxWidth: 460 }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") go(`/search?q=${encodeURIComponent(text.trim())}`);
        }}
      >
        <TextInput
          ref={box}
          aria-label="Search jobs, datasets and columns"
          placeholder="Search jobs, datasets, columns"
          leftSection={<IconSearch size={16} />}
          rightSection={<Kbd size="xs">/</Kbd>}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}
