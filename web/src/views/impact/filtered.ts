import type { Impacted, ImpactLevel } from "@/api/schema";

export interface ImpactFilter {
  kind: string; // "" for all
  use: string;
  words: string;
}

/** The levels with only what is wished for; those without anything are left out. */
export function filtered(levels: ImpactLevel[], filter: ImpactFilter): ImpactLevel[] {
  const words = filter.words.trim().toLowerCase();
  const fits = (node: Impacted) =>
    (filter.kind === "" || node.type === filter.kind) &&
    (filter.use === "" || node.use === filter.use) &&
    (words === "" || [node.name, node.field ?? "", ...node.owners].some((each) => each.toLowerCase().includes(words)));
  return levels
    .map((level) => ({ ...level, nodes: level.nodes.filter(fits) }))
    .filter((level) => level.nodes.length > 0);
}
