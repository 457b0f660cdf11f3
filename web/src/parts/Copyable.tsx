import { CodeArea } from "@/parts/CodeArea";
import classes from "@/parts/parts.module.css";

/** Text for a terminal or an editor, with a button that copies it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <CodeArea text={text} label={label}>
      <pre className={classes.pre}>{text}</pre>
    </CodeArea>
  );
}
