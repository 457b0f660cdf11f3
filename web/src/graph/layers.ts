/** Layers from left to right: each node one further than the furthest of its sources. */

/** Ends of edges as indices of nodes. */
export interface Ends {
  from: Int32Array;
  to: Int32Array;
}

/** The layer of each node. Edges that close a cycle are looked at the other way round. */
export function layersOf(count: number, ends: Ends): Int32Array {
  const { from, to } = withoutCycles(count, ends);
  const targets = adjacency(count, from, to);
  const waitsFor = new Int32Array(count);
  for (const node of to) waitsFor[node] = at(waitsFor, node) + 1;
  const layers = new Int32Array(count);
  const order: number[] = [];
  for (let node = 0; node < count; node++) if (waitsFor[node] === 0) order.push(node);
  const isSource = new Uint8Array(count);
  for (const node of order) isSource[node] = 1;
  for (let next = 0; next < order.length; next++) {
    const node = order[next] as number;
    for (const target of targets[node] as number[]) {
      layers[target] = Math.max(at(layers, target), at(layers, node) + 1);
      waitsFor[target] = at(waitsFor, target) - 1;
      if (waitsFor[target] === 0) order.push(target);
    }
  }
  // A source that is only used far to the right stands there, and not at the end of a long edge.
  for (let node = 0; node < count; node++) {
    const used = targets[node] as number[];
    if (isSource[node] === 1 && used.length > 0) {
      let first = Number.MAX_SAFE_INTEGER;
      for (const target of used) first = Math.min(first, at(layers, target));
      layers[node] = first - 1;
    }
  }
  return layers;
}

/** The edges with those turned round that lead back to where a depth-first walk came from. */
function withoutCycles(count: number, ends: Ends): Ends {
  const outgoing = adjacency(count, ends.from, ends.to, true);
  const from = Int32Array.from(ends.from);
  const to = Int32Array.from(ends.to);
  const state = new Uint8Array(count); // 1: on the way, 2: done
  const nextEdge = new Int32Array(count);
  const hasSource = new Uint8Array(count);
  for (const node of ends.to) hasSource[node] = 1;
  const starts = [...Array(count).keys()].sort((a, b) => at(hasSource, a) - at(hasSource, b));
  for (const start of starts) {
    if (state[start] !== 0) continue;
    const way = [start];
    state[start] = 1;
    while (way.length > 0) {
      const node = way[way.length - 1] as number;
      const edges = outgoing[node] as number[];
      const index = at(nextEdge, node);
      if (index === edges.length) {
        state[node] = 2;
        way.pop();
        continue;
      }
      nextEdge[node] = index + 1;
      const edge = edges[index] as number;
      const target = at(ends.to, edge);
      if (state[target] === 1) {
        from[edge] = target;
        to[edge] = node;
      } else if (state[target] === 0) {
        state[target] = 1;
        way.push(target);
      }
    }
  }
  return withoutLoops(from, to);
}

function withoutLoops(from: Int32Array, to: Int32Array): Ends {
  const edges = [...from.keys()].filter((edge) => from[edge] !== to[edge]);
  return { from: Int32Array.from(edges, (e) => at(from, e)), to: Int32Array.from(edges, (e) => at(to, e)) };
}

/** For each node its targets, or the numbers of its edges. */
export function adjacency(count: number, from: Int32Array, to: Int32Array, asEdges = false): number[][] {
  const lists: number[][] = Array.from({ length: count }, () => []);
  for (let edge = 0; edge < from.length; edge++) lists[at(from, edge)]?.push(asEdges ? edge : at(to, edge));
  return lists;
}

/** For typed arrays that are never read beyond their end. */
export function at(array: Int32Array | Uint8Array | Float64Array, index: number): number {
  return array[index] as number;
}
