/** Heights within ordered layers: each as near as possible to the middle of its neighbours, none on another. */

import { at } from "@/graph/layers";
import type { Ordered } from "@/graph/order";

const ROUNDS = 10;

/** The top of each item. `lanes` (of nodes) keep to bands of their own, if there are several. */
export function placed(
  items: Ordered,
  height: (item: number) => number,
  gap: number,
  lanes: Int32Array | null,
): Float64Array {
  const centre = new Float64Array(items.sources.length);
  const band = lanes === null ? null : bands(items, height, gap, lanes);
  for (const layer of items.layers) {
    let top = 0;
    for (const item of layer) {
      centre[item] = top + height(item) / 2;
      top += height(item) + gap;
    }
    for (const item of layer) centre[item] = at(centre, item) - (top - gap) / 2;
  }
  for (let round = 0; round < ROUNDS; round++) {
    const down = round % 2 === 0;
    const isLast = round >= ROUNDS - 2;
    for (let step = 0; step < items.layers.length; step++) {
      const layer = items.layers[down ? step : items.layers.length - 1 - step] as number[];
      const ideal = layer.map((item) => {
        const near = down ? (items.sources[item] as number[]) : (items.targets[item] as number[]);
        const far = down ? (items.targets[item] as number[]) : (items.sources[item] as number[]);
        return middle(isLast ? [...near, ...far] : near.length > 0 ? near : far, centre) ?? at(centre, item);
      });
      const settled = apart(ideal, layer.map(height), gap);
      layer.forEach((item, index) => {
        centre[item] = settled[index] as number;
      });
      if (band !== null) keepToBands(layer, centre, height, gap, band);
    }
  }
  const tops = new Float64Array(centre.length);
  centre.forEach((y, item) => {
    tops[item] = Math.round(y - height(item) / 2);
  });
  return tops;
}

/**
 * The places nearest to the ideal ones (in sum of squares) that keep the order and the gap: neighbours that would
 * overlap are pooled and stand together around their common mean.
 */
export function apart(ideal: readonly number[], heights: readonly number[], gap: number): number[] {
  const pools: { sum: number; count: number; first: number }[] = [];
  const offsets: number[] = [];
  let offset = 0;
  ideal.forEach((_, index) => {
    if (index > 0) offset += ((heights[index - 1] as number) + (heights[index] as number)) / 2 + gap;
    offsets.push(offset);
  });
  ideal.forEach((y, index) => {
    pools.push({ sum: y - (offsets[index] as number), count: 1, first: index });
    for (let last = pools.length - 1; last > 0; last--) {
      const [above, below] = [pools[last - 1], pools[last]];
      if (above === undefined || below === undefined || above.sum / above.count <= below.sum / below.count) break;
      above.sum += below.sum;
      above.count += below.count;
      pools.pop();
    }
  });
  const centres: number[] = [];
  for (const { sum, count, first } of pools) {
    for (let index = first; index < first + count; index++) centres.push(sum / count + (offsets[index] as number));
  }
  return centres;
}

type Bands = (item: number) => readonly [number, number] | null;

/** Each lane is as high as its fullest layer. */
function bands(items: Ordered, height: (item: number) => number, gap: number, lanes: Int32Array): Bands {
  const needed = new Map<number, number>();
  for (const layer of items.layers) {
    const sums = new Map<number, number>();
    for (const item of layer) {
      if (item >= items.count) continue;
      const lane = at(lanes, item);
      sums.set(lane, (sums.get(lane) ?? 0) + height(item) + gap);
    }
    for (const [lane, sum] of sums) needed.set(lane, Math.max(needed.get(lane) ?? 0, sum));
  }
  const edges = new Map<number, readonly [number, number]>();
  let top = 0;
  for (const [lane, size] of [...needed].sort(([a], [b]) => a - b)) {
    edges.set(lane, [top, top + size]);
    top += size + 2 * gap;
  }
  return (item) => (item < items.count ? (edges.get(at(lanes, item)) ?? null) : null);
}

function keepToBands(
  layer: readonly number[],
  centre: Float64Array,
  height: (item: number) => number,
  gap: number,
  band: Bands,
) {
  const inBands = layer.filter((item) => band(item) !== null);
  let floor = Number.NEGATIVE_INFINITY;
  for (const item of inBands) {
    const [top] = band(item) as readonly [number, number];
    const half = height(item) / 2;
    centre[item] = Math.max(at(centre, item), top + gap / 2 + half, floor + half);
    floor = at(centre, item) + half + gap;
  }
  let ceiling = Number.POSITIVE_INFINITY;
  for (const item of [...inBands].reverse()) {
    const [, bottom] = band(item) as readonly [number, number];
    const half = height(item) / 2;
    centre[item] = Math.min(at(centre, item), bottom - gap / 2 - half, ceiling - half);
    ceiling = at(centre, item) - half - gap;
  }
}

function middle(items: readonly number[], centre: Float64Array): number | null {
  if (items.length === 0) return null;
  let sum = 0;
  for (const item of items) sum += at(centre, item);
  return sum / items.length;
}
