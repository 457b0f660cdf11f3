import { Stack } from "@mantine/core";
import { Code } from "@/parts/Code";
import { facet, text } from "@/parts/facets";
import { Links } from "@/views/details/Links";
import { linksIn } from "@/views/details/links";
import { Section } from "@/views/details/Section";

export function hasCode(facets: unknown): boolean {
  return query(facets) !== undefined || source(facets) !== undefined || place(facets).length > 0;
}

/** The SQL or source code that a job runs, and where it is kept. */
export function CodeTab({ facets }: { facets: unknown }) {
  const sql = query(facets);
  const code = source(facets);
  const links = place(facets);
  return (
    <Stack gap={0}>
      {links.length > 0 && <Links links={links} />}
      {sql !== undefined && (
        <Section title="SQL">
          <Code code={sql} language="sql" label="SQL" />
        </Section>
      )}
      {code !== undefined && (
        <Section title={`Source code${code.language === "" ? "" : ` (${code.language})`}`}>
          <Code code={code.text} language={code.language} label="source code" />
        </Section>
      )}
    </Stack>
  );
}

function query(facets: unknown): string | undefined {
  return text(facet(facets, "sql"), "query");
}

function source(facets: unknown): { text: string; language: string } | undefined {
  const sourceFacet = facet(facets, "sourceCode");
  const code = text(sourceFacet, "sourceCode");
  return code === undefined ? undefined : { text: code, language: text(sourceFacet, "language") ?? "" };
}

function place(facets: unknown) {
  const sourceFacet = facet(facets, "sourceCodeLocation");
  return sourceFacet === undefined ? [] : linksIn({ sourceCodeLocation: sourceFacet });
}
