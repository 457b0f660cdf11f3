import type { InputFieldRef } from "@/api/schema";
import { isJson, text } from "@/parts/facets";

/** How one column is used for another. */
export interface Use {
  direct: boolean; // its values are in the result; otherwise they only decide over rows
  word: string;
  masked: boolean;
  title: string;
}

export function usesOf(input: InputFieldRef): Use[] {
  const uses = (input.transformations as unknown[]).filter(isJson).map((step) => {
    const kind = text(step, "type") ?? "";
    const subtype = text(step, "subtype") ?? kind;
    return {
      direct: kind !== "INDIRECT",
      word: subtype.toLowerCase().replaceAll("_", " "),
      masked: step.masking === true,
      title: `${kind} ${subtype} ${text(step, "description") ?? ""}`.trim(),
    };
  });
  if (uses.length > 0 || input.transformationType === null) return uses;
  const word = input.transformationType.toLowerCase().replaceAll("_", " ");
  return [
    { direct: word !== "indirect", word, masked: word === "masked", title: input.transformationDescription ?? word },
  ];
}
