/** The picture as a file: SVG of all that is shown, Mermaid, JSON. */

import { HEAD_Y, rowY } from "@/graph/cards";
import type { RunState } from "@/graph/model";
import type { Palette } from "@/graph/palette";
import type { Card, Scene, Wire } from "@/graph/scene";
import { stateName } from "@/theme/states";

const MARGIN = 30;
const FONT = "Inter, system-ui, sans-serif";
/** Characters of a name that fit on a card. */
const FITS = 26;

export interface PictureStyle {
  palette: Palette;
  colourOf: (card: Card) => string;
  stateOf: (card: Card) => RunState | null;
}

export function toSvg(scene: Scene, style: PictureStyle): string {
  const { x, y, width, height } = scene.extent;
  const box = [x - MARGIN, y - MARGIN - 20, width + 2 * MARGIN, height + 2 * MARGIN + 40].map(Math.round);
  const { palette } = style;
  const frames = scene.frames.map(
    (frame) =>
      `<rect x="${frame.x}" y="${frame.y}" width="${frame.width}" height="${frame.height}" rx="12" fill="${palette.frame}" fill-opacity=".45" stroke="${palette.border}"/>` +
      `<text x="${frame.x + 12}" y="${frame.y + 19}" font-size="12" font-weight="600" fill="${palette.dim}">${xml(frame.label)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box.join(" ")}" width="${box[2]}" height="${box[3]}" font-family="${FONT}">`,
    `<rect x="${box[0]}" y="${box[1]}" width="${box[2]}" height="${box[3]}" fill="${palette.background}"/>`,
    ...frames,
    ...scene.wires.map((wire) => wireSvg(wire, palette)),
    ...[...scene.cards.values()].map((card) => cardSvg(card, style)),
    "</svg>",
  ].join("\n");
}

function wireSvg(wire: Wire, palette: Palette): string {
  const n = wire.curve;
  let path = `M${n[0]} ${n[1]}`;
  for (let at = 2; at < n.length; at += 6)
    path += `C${[...n.subarray(at, at + 6)].map((one) => Math.round(one)).join(" ")}`;
  const isDirect = wire.link?.isDirect ?? true;
  const colour = wire.link === null ? palette.wire : isDirect ? palette.highlight : palette.indirect;
  const dash = isDirect ? "" : ' stroke-dasharray="6 5"';
  const [x, y] = [n[n.length - 2] as number, n[n.length - 1] as number];
  return (
    `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.4"${dash}/>` +
    `<path d="M${x} ${y}l-8-4v8z" fill="${colour}"/>`
  );
}

function cardSvg(card: Card, { palette, colourOf, stateOf }: PictureStyle): string {
  const colour = colourOf(card);
  const state = stateOf(card);
  const radius = card.node.kind === "dataset" ? 10 : 28;
  const left = card.x + 16;
  const lines = [
    `<rect x="${card.x}" y="${card.y}" width="${card.width}" height="${card.height}" rx="${radius}" fill="${palette.card}" stroke="${colour}" stroke-width="1.5"/>`,
    `<text x="${left}" y="${card.y + HEAD_Y - 3}" font-size="13.5" font-weight="600" fill="${palette.text}">${xml(cut(card.node.label))}</text>`,
    `<text x="${left}" y="${card.y + HEAD_Y + 14}" font-size="11.5" fill="${palette.dim}">${xml(cut(state === null ? card.node.namespace : `${stateName(state)} · ${card.node.namespace}`))}</text>`,
    ...card.rows.map(
      (row, index) =>
        `<text x="${left}" y="${card.y + rowY(index) + 4}" font-size="12" fill="${palette.text}">${xml(cut(row.text))}</text>`,
    ),
  ];
  return `<g>${lines.join("")}</g>`;
}

/** A flowchart for documents that know Mermaid. */
export function toMermaid(scene: Scene): string {
  const names = new Map([...scene.cards.keys()].map((id, number) => [id, `n${number}`]));
  const lines = ["flowchart LR"];
  for (const card of scene.cards.values()) {
    const text = card.node.label.replaceAll('"', "#quot;").replaceAll("\n", " ");
    lines.push(
      card.node.kind === "dataset" ? `  ${names.get(card.id)}[("${text}")]` : `  ${names.get(card.id)}(["${text}"])`,
    );
  }
  for (const wire of scene.wires) {
    if (wire.link === null) lines.push(`  ${names.get(wire.from)} --> ${names.get(wire.to)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** What is shown, for programs. */
export function toJson(scene: Scene): string {
  const nodes = [...scene.cards.values()].map(({ node, x, y, rows }) => ({
    id: node.id,
    kind: node.kind,
    namespace: node.namespace,
    name: node.name,
    x,
    y,
    columns: rows.flatMap((row) => (row.id === null ? [] : [row.text])),
  }));
  const edges = scene.wires.filter((wire) => wire.link === null).map(({ from, to }) => ({ from, to }));
  const columnEdges = scene.wires.flatMap(({ link }) => (link === null ? [] : [link]));
  return JSON.stringify({ nodes, edges, columnEdges }, null, 2);
}

const cut = (text: string) => (text.length > FITS ? `${text.slice(0, FITS - 1)}…` : text);

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
// XML has no control characters, not even escaped.
const xml = (text: string) => text.replace(/[^\P{Cc}\t\n\r]/gu, "").replace(/[&<>"']/g, (one) => ESCAPES[one] ?? one);
