"""Graphs of columns → JSON, fast.

The JSON of a column is cached until its dataset changes. Where all that feeds the columns is in
the answer too, which is the common question, the columns of a dataset are cached in one piece,
with their edges, until the dataset or one that it feeds changes.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Set

import msgspec

from headwater.answers.cache_budget import CacheBudget
from headwater.answers.dataset_json import transformation_type
from headwater.answers.render import Renderer
from headwater.graph.columns import Column, ColumnGraph, ColumnSets, ColumnWalk
from headwater.graph.when import When
from headwater.ids import Node, field_node_id
from headwater.shapes import marquez as shapes

_encode = msgspec.json.Encoder().encode

# Between two turns of others, as in `graphs.py`.
_DATASETS_PER_SLICE, _EDGES_PER_SLICE = 40, 4000


class _Column(msgspec.Struct, frozen=True, gc=False):
    """Pieces of a column's JSON. Edges of both lists start at the node itself, which Marquez
    clients rely on."""

    origin: bytes  # an edge from it, up to the other end
    destination: bytes  # the rest of an edge to it
    head: bytes  # the node up to its edges
    with_inputs: bytes  # the node up to its outgoing edges, with all that feeds it
    edges_to_it: list[tuple[Column, bytes]]  # as they stand among the outgoing edges of its inputs


_Known = dict[Node, dict[str, _Column]]
_PieceKey = tuple[int, tuple[tuple[Node, int], ...]]
"""The revision of a dataset, and of those that it feeds in an answer."""


class ColumnWriter:
    def __init__(self, renderer: Renderer, budget: CacheBudget) -> None:
        self._renderer, self._state, self._budget = renderer, renderer.state, budget
        self._columns: dict[Node, tuple[int, dict[str, _Column]]] = {}
        self._pieces: dict[Node, tuple[_PieceKey, bytes]] = {}
        budget.share(self._columns, self._pieces)

    async def with_all_inputs(self, above: ColumnSets, when: When) -> list[bytes]:
        """The nodes of an answer in which nothing is missing that feeds any of its columns."""
        walk = ColumnWalk(self._state, self._renderer.contents, when)
        known = await self._known(walk, above.names)
        fed: defaultdict[Node, list[Node]] = defaultdict(list)
        for dataset, names in above.names.items():
            for source in walk.feeding(dataset, names):
                fed[source].append(dataset)
        # Of these every column is here that anything feeds, so the same edges lead to them in any answer.
        entire = {dataset for dataset, names in above.names.items() if names >= walk.links(dataset).keys()}
        parts: list[bytes] = []
        for count, dataset in enumerate(_in_order(known), 1):
            if count % _DATASETS_PER_SLICE == 0:
                await asyncio.sleep(0)
            names, columns, targets = above.names[dataset], known[dataset], fed.get(dataset, [])
            if len(names) == len(columns) and entire.issuperset(targets) and walk.is_present:
                parts.append(self._cached_piece(dataset, targets, known))
            else:
                parts.append(_piece(dataset, sorted(names), columns, _edges_between(above.names, targets, known)))
        return parts

    def _cached_piece(self, dataset: Node, targets: list[Node], known: _Known) -> bytes:
        nodes = self._state.nodes
        key = (nodes[dataset].revision, tuple([(target, nodes[target].revision) for target in targets]))
        cached = self._pieces.get(dataset)
        if cached is not None and cached[0] == key:
            return cached[1]
        everything = {target: known[target].keys() for target in targets}
        columns = known[dataset]
        piece = _piece(dataset, list(columns), columns, _edges_between(everything, targets, known))
        self._budget.spend(len(piece))
        self._pieces[dataset] = (key, piece)
        return piece

    async def any_part(self, graph: ColumnGraph, when: When) -> list[bytes]:
        """The nodes of an answer with the edges of the graph, whatever is left out."""
        names: dict[Node, set[str]] = {}
        for dataset, name in graph.nodes:
            names.setdefault(dataset, set()).add(name)
        known = await self._known(ColumnWalk(self._state, self._renderer.contents, when), names)
        into: defaultdict[Column, list[bytes]] = defaultdict(list)
        out: defaultdict[Column, list[bytes]] = defaultdict(list)
        for count, edge in enumerate(graph.edges, 1):
            if count % _EDGES_PER_SLICE == 0:
                await asyncio.sleep(0)
            src, dst = known[edge.src[0]][edge.src[1]], known[edge.dst[0]][edge.dst[1]]
            out[edge.src].append(src.origin + dst.destination)
            into[edge.dst].append(dst.origin + src.destination)
        parts: list[bytes] = []
        for count, dataset in enumerate(_in_order(known), 1):
            for name in sorted(names[dataset]):
                inputs, outputs = b",".join(into[dataset, name]), b",".join(out[dataset, name])
                head = known[dataset][name].head
                parts.append(b'%b,"inEdges":[%b],"outEdges":[%b]},' % (head, inputs, outputs))
            if count % _DATASETS_PER_SLICE == 0:
                await asyncio.sleep(0)
        return parts

    async def _known(self, walk: ColumnWalk, names: dict[Node, set[str]]) -> _Known:
        known: _Known = {}
        for count, dataset in enumerate(names, 1):
            known[dataset] = self._columns_of(walk, dataset, names[dataset])
            if count % _DATASETS_PER_SLICE == 0:
                await asyncio.sleep(0)
        return known

    def _columns_of(self, walk: ColumnWalk, dataset: Node, needed: set[str]) -> dict[str, _Column]:
        """The columns of a dataset, in order; all that are known, and those that are needed."""
        revision, cache = self._state.nodes[dataset].revision, walk.is_as_now(dataset)
        cached = self._columns.get(dataset) if cache else None
        if cached is not None and cached[0] == revision and cached[1].keys() >= needed:
            return cached[1]
        types = self._renderer.datasets.field_types(dataset)
        names = sorted({*types, *walk.links(dataset), *needed})
        columns = {name: self._column(walk, (dataset, name), types.get(name)) for name in names}
        if cache:
            self._budget.spend(sum(3 * len(column.with_inputs) for column in columns.values()))
            self._columns[dataset] = (revision, columns)
        return columns

    def _column(self, walk: ColumnWalk, column: Column, field_type: str | None) -> _Column:
        dataset = self._state.dataset_of(column[0])
        edges = list(walk.into(column))
        first = edges[0].transformations[0] if edges and edges[0].transformations else None
        data = shapes.ColumnData(
            namespace=dataset.namespace,
            dataset=dataset.name,
            datasetVersion=None,
            field=column[1],
            fieldType=field_type,
            transformationDescription=first.description if first else None,
            transformationType=transformation_type(first),
            inputFields=[self._renderer.datasets.input_field(edge) for edge in edges],
        )
        node_id = self._column_id(column)
        sources = [(edge.src, self._column_id(edge.src)) for edge in edges if edge.src != column]
        inputs = (b'{"origin":%b,"destination":%b}' % (node_id, source) for _, source in sources)
        head = b'{"id":%b,"type":"DATASET_FIELD","data":%b' % (node_id, _encode(data))
        return _Column(
            origin=b'{"origin":%b,"destination":' % node_id,
            destination=node_id + b"}",
            head=head,
            with_inputs=b'%b,"inEdges":[%b],"outEdges":[' % (head, b",".join(inputs)),
            edges_to_it=[(src, b'{"origin":%b,"destination":%b}' % (source, node_id)) for src, source in sources],
        )

    def _column_id(self, column: Column) -> bytes:
        dataset = self._state.dataset_of(column[0])
        return _encode(field_node_id(dataset.namespace, dataset.name, column[1]))


def _in_order(known: _Known) -> list[Node]:
    return sorted(known, key=lambda node: next(iter(known[node].values())).destination)


def _edges_between(names: Mapping[Node, Set[str]], targets: list[Node], known: _Known) -> dict[Column, list[bytes]]:
    """The edges to columns of the targets, by the column that they come from."""
    edges: dict[Column, list[bytes]] = {}
    for target in targets:
        for name in sorted(names[target]):
            for source, edge in known[target][name].edges_to_it:
                edges.setdefault(source, []).append(edge)
    return edges


def _piece(dataset: Node, names: list[str], columns: dict[str, _Column], edges: dict[Column, list[bytes]]) -> bytes:
    made = (b"%b%b]}," % (columns[name].with_inputs, b",".join(edges.get((dataset, name), ()))) for name in names)
    return b"".join(made)
