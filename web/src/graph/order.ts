/** The order within each layer: barycentre sweeps, with stand-ins where an edge passes a layer. */

import { at, type Ends } from "@/graph/layers";

/** What stands in the layers: nodes, and above their number the stand-ins of long edges. */
export interface Ordered {
  layers: number[][];
  sources: number[][]; // neighbours in the layer before, by item
  targets: number[][];
  count: number; // of nodes; items from here on are stand-ins
}

const SWEEPS = 24;
/** Very long edges of very large graphs would cost more than they straighten. */
const STAND_INS_PER_NODE = 8;

/** `blocks` holds together what has the same number (0: no block); `lanes` come strictly one after another. */
export function ordered(layerOf: Int32Array, ends: Ends, blocks: Int32Array, lanes: Int32Array): Ordered {
  const items = standing(layerOf, ends);
  const lane = (item: number) => (item < items.count ? at(lanes, item) : -1);
  const block = (item: number) => (item < items.count ? at(blocks, item) : 0);
  const position = new Float64Array(items.sources.length);
  firstOrder(items);
  number(items, position);
  const weight = new Float64Array(items.sources.length);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    const neighbours = down ? items.sources : items.targets;
    for (let step = 1; step < items.layers.length; step++) {
      const layer = items.layers[down ? step : items.layers.length - 1 - step] as number[];
      for (const item of layer) weight[item] = mean(neighbours[item] as number[], position) ?? at(position, item);
      together(layer, weight, block);
      layer.sort((a, b) => lane(a) - lane(b) || at(weight, a) - at(weight, b));
      layer.forEach((item, index) => {
        position[item] = index;
      });
    }
  }
  return items;
}

/** All of a block go where its middle would go. */
function together(layer: readonly number[], weight: Float64Array, block: (item: number) => number): void {
  const sums = new Map<number, [number, number]>();
  for (const item of layer) {
    const key = block(item);
    if (key === 0) continue;
    const [sum, count] = sums.get(key) ?? [0, 0];
    sums.set(key, [sum + at(weight, item), count + 1]);
  }
  for (const item of layer) {
    const total = sums.get(block(item));
    // Inside of the block its own order still counts, a little.
    if (total !== undefined && total[1] > 1) weight[item] = total[0] / total[1] + at(weight, item) * 1e-6;
  }
}

function standing(layerOf: Int32Array, ends: Ends): Ordered {
  const count = layerOf.length;
  const layers: number[][] = [];
  const into = (layer: number, item: number) => {
    while (layers.length <= layer) layers.push([]);
    layers[layer]?.push(item);
  };
  for (let node = 0; node < count; node++) into(at(layerOf, node), node);
  const sources: number[][] = Array.from({ length: count }, () => []);
  const targets: number[][] = Array.from({ length: count }, () => []);
  let standInsLeft = STAND_INS_PER_NODE * count;
  for (let edge = 0; edge < ends.from.length; edge++) {
    let [left, right] = [at(ends.from, edge), at(ends.to, edge)];
    if (at(layerOf, left) > at(layerOf, right)) [left, right] = [right, left];
    const length = at(layerOf, right) - at(layerOf, left);
    if (length === 0 || (length > 1 && standInsLeft < length)) continue;
    let before = left;
    for (let layer = at(layerOf, left) + 1; layer < at(layerOf, right); layer++) {
      const item = sources.length;
      sources.push([before]);
      targets.push([]);
      targets[before]?.push(item);
      into(layer, item);
      before = item;
    }
    standInsLeft -= length - 1;
    targets[before]?.push(right);
    sources[right]?.push(before);
  }
  return { layers, sources, targets, count };
}

/** Depth first from the left, so that what belongs together starts together. */
function firstOrder(items: Ordered): void {
  const place = new Int32Array(items.sources.length).fill(-1);
  let next = 0;
  for (const layer of items.layers) {
    for (const start of layer) {
      const waiting = [start];
      for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
        if (place[item] !== -1) continue;
        place[item] = next++;
        waiting.push(...(items.targets[item] as number[]));
      }
    }
  }
  for (const layer of items.layers) layer.sort((a, b) => at(place, a) - at(place, b));
}

function number(items: Ordered, position: Float64Array): void {
  for (const layer of items.layers) {
    layer.forEach((item, index) => {
      position[item] = index;
    });
  }
}

function mean(items: readonly number[], position: Float64Array): number | null {
  if (items.length === 0) return null;
  let sum = 0;
  for (const item of items) sum += at(position, item);
  return sum / items.length;
}
