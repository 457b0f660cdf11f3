import type { Impacted, ImpactLevel } from "@/api/schema";

export interface Wish {
  kind: string; // "" for all
  use: string;
  words: string;
}

/** The levels with only what is wished for; those without anything are left out. */
export function filtered(levels: ImpactLevel[], wish: Wish): ImpactLevel[] {
  const words = wish.words.trim().toLowerCase();
  const fits = (node: Impacted) =>
    (wish.kind === "" || node.type === wish.kind) &&
    (wish.use === "" || node.use === wish.use) &&
    (words === "" || [node.name, node.field ?? "", ...node.owners].some((each) => each.toLowerCase().includes(words)));
  return levels
    .map((level) => ({ ...level, nodes: level.nodes.filter(fits) }))
    .filter((level) => level.nodes.length > 0);
}
