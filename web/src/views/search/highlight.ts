/** The server's highlights: HTML-escaped text with the hits in <em>. They become pieces, never markup. */

export interface Piece {
  text: string;
  hit: boolean;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'", "#39": "'" };

export function pieces(highlighted: string): Piece[] {
  return highlighted
    .split(/(<em>.*?<\/em>)/s)
    .filter((part) => part !== "")
    .map((part) => {
      const hit = part.startsWith("<em>") && part.endsWith("</em>");
      return { hit, text: unescaped(hit ? part.slice(4, -5) : part) };
    });
}

function unescaped(text: string): string {
  return text.replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
