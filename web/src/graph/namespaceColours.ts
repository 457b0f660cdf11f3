/** Colours of namespaces: stable, far apart, and readable on cards of both schemes. */

import type { Scheme } from "@/theme/states";

// Pairs for light and dark cards; each has a contrast of 4.5 and more on its card (WCAG AA), see the test.
const PAIRS: readonly (readonly [string, string])[] = [
  ["#1864ab", "#74c0fc"],
  ["#a13d00", "#ffa94d"],
  ["#1f7a34", "#69db7c"],
  ["#9c36b5", "#e599f7"],
  ["#0b7285", "#3bc9db"],
  ["#c2255c", "#faa2c1"],
  ["#5f3dc4", "#b197fc"],
  ["#5c6b00", "#c0eb75"],
  ["#846358", "#eac9ac"],
  ["#087f5b", "#63e6be"],
  ["#a61e4d", "#ff8787"],
  ["#495057", "#ced4da"],
];

/** The number of each namespace's colour. Given oldest first, a new namespace never changes the others' colours. */
export function colourNumbers(namespaces: readonly string[]): Map<string, number> {
  const numbers = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of namespaces) {
    let number = hash(name) % PAIRS.length;
    for (let tries = 0; taken.has(number) && tries < PAIRS.length; tries++) number = (number + 1) % PAIRS.length;
    taken.add(number);
    if (taken.size === PAIRS.length) taken.clear();
    numbers.set(name, number);
  }
  return numbers;
}

export function colour(numbers: ReadonlyMap<string, number>, namespace: string, scheme: Scheme): string {
  const pair = PAIRS[numbers.get(namespace) ?? hash(namespace) % PAIRS.length] as readonly [string, string];
  return pair[scheme === "light" ? 0 : 1];
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) value = Math.imul(value ^ text.charCodeAt(n), 0x01000193) >>> 0;
  return value;
}

/** WCAG's contrast of two colours, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
