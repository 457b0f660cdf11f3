import { useState } from "react";
import { CodeArea } from "@/parts/CodeArea";
import { cut } from "@/parts/format";
import classes from "@/parts/parts.module.css";

// What is drawn at once, however large the facet is. The rest is one click away.
const CHILDREN = 100;
const TEXT = 400;

interface Props {
  value: unknown;
  label: string;
  open?: number; // how many levels are open at first
}

/** JSON as a tree that opens level by level: a facet of megabytes costs no more than what is seen of it. */
export function JsonTree({ value, label, open = 1 }: Props) {
  return (
    <CodeArea label={label} text={JSON.stringify(value, null, 2)} className={classes.tree}>
      <Node name={null} value={value} open={open} />
    </CodeArea>
  );
}

function Node({ name, value, open }: { name: string | null; value: unknown; open: number }) {
  const [isOpen, setOpen] = useState(open > 0);
  const [shown, setShown] = useState(CHILDREN);
  if (typeof value !== "object" || value === null) {
    return (
      <>
        <Key name={name} />
        <Leaf value={value} />
      </>
    );
  }
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [left, right] = isList ? ["[", "]"] : ["{", "}"];
  return (
    <>
      <button type="button" className={classes.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden>{isOpen ? "▾ " : "▸ "}</span>
        <Key name={name} />
        {isOpen ? left : `${left} ${summary(entries, isList)} ${right}`}
      </button>
      {isOpen && (
        <>
          <ul>
            {entries.slice(0, shown).map(([key, child]) => (
              <li key={key}>
                <Node name={key} value={child} open={open - 1} />
              </li>
            ))}
            {entries.length > shown && (
              <li>
                <button type="button" className={classes.fold} onClick={() => setShown(shown + 10 * CHILDREN)}>
                  … {entries.length - shown} more
                </button>
              </li>
            )}
          </ul>
          {right}
        </>
      )}
    </>
  );
}

function Key({ name }: { name: string | null }) {
  if (name === null) return null;
  return (
    <>
      <bdi className={classes.key}>{cut(name, TEXT)}</bdi>:{" "}
    </>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false);
  if (typeof value !== "string") return <span className={classes.literal}>{String(value)}</span>;
  if (value.length <= TEXT || whole) return <bdi className={classes.text}>"{value}"</bdi>;
  return (
    <>
      <bdi className={classes.text}>"{cut(value, TEXT)}"</bdi>{" "}
      <button type="button" className={classes.fold} onClick={() => setWhole(true)}>
        show all {value.length.toLocaleString("en")} characters
      </button>
    </>
  );
}

/** What is inside, in a few words. */
function summary(entries: [string, unknown][], isList: boolean): string {
  if (entries.length === 0) return "";
  if (isList) return `${entries.length}`;
  const keys = entries.slice(0, 4).map(([key]) => cut(key, 20));
  return keys.join(", ") + (entries.length > keys.length ? ", …" : "");
}
