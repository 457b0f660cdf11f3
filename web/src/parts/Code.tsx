import { lazy, Suspense } from "react";
import { Copyable } from "@/parts/Copyable";

const CodeBlock = lazy(() => import("@/parts/CodeBlock"));

interface Props {
  code: string;
  language: string;
  label: string;
}

/** Code is readable at once, and in colours as soon as the highlighter is loaded. */
export function Code({ code, language, label }: Props) {
  return (
    <Suspense fallback={<Copyable text={code} label={label} />}>
      <CodeBlock code={code} language={language.toLowerCase()} label={label} />
    </Suspense>
  );
}
