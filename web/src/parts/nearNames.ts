/** The names that a 404 offers: "… Did you mean a, b, c?" */
export function nearNames(message: string): string[] {
  const offered = /Did you mean (.*)\?\s*$/s.exec(message)?.[1];
  return offered === undefined ? [] : offered.split(", ").filter((name) => name !== "");
}
