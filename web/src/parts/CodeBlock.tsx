import type { Element, ElementContent, Root } from "hast";
import java from "highlight.js/lib/languages/java";
import python from "highlight.js/lib/languages/python";
import scala from "highlight.js/lib/languages/scala";
import sql from "highlight.js/lib/languages/sql";
import { createLowlight } from "lowlight";
import { createElement, type ReactNode, useMemo } from "react";
import { CodeArea } from "@/parts/CodeArea";
import classes from "@/parts/parts.module.css";

const lowlight = createLowlight({ java, python, scala, sql });

// Longer code is shown without colours: highlighting it takes too long.
const LONGEST = 100_000;

/** Source code in colours. Nothing in it is taken for markup: it becomes elements of text. */
export default function CodeBlock({ code, language, label }: { code: string; language: string; label: string }) {
  const shown = useMemo(() => {
    const known = lowlight.registered(language) ? language : "sql";
    return code.length > LONGEST ? [code] : elements(lowlight.highlight(known, code));
  }, [code, language]);
  return (
    <CodeArea label={label} text={code} className={classes.tall}>
      <pre className={classes.pre}>
        <code className={classes.pre}>{shown}</code>
      </pre>
    </CodeArea>
  );
}

function elements(node: Root | Element): ReactNode[] {
  return (node.children as ElementContent[]).map((child, at) => {
    if (child.type === "text") return child.value;
    if (child.type !== "element") return null;
    const names = child.properties.className;
    const className = Array.isArray(names) ? names.join(" ") : undefined;
    return createElement("span", { key: at, className }, ...elements(child));
  });
}
