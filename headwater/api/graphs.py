"""Graphs → JSON, fast.

Most of a node's JSON says what the job or dataset is, and that changes rarely: it is kept as
bytes until the revision of the job or dataset moves. Only the edges are put together anew.
A whole answer is used again as long as none of its nodes has changed: many people look at the
same graph.
"""

import asyncio
import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from headwater.api import shapes
from headwater.api.lane import Lane
from headwater.api.render import Renderer, transformation_type
from headwater.api.turns import Noted, in_turns
from headwater.graph.columns import (
    Column,
    ColumnGraph,
    ColumnWalk,
    column_lineage_in_slices,
    column_paths_in_slices,
)
from headwater.graph.traverse import Subgraph, neighbourhood_in_slices, paths_in_slices
from headwater.graph.when import Always, When
from headwater.ids import Node, dataset_node_id, field_node_id, job_node_id
from headwater.model.entities import Dataset, Job

_encode = msgspec.json.Encoder().encode

# An answer is put together in pieces of this many nodes, a millisecond or two each, and events
# are taken in between: a large graph never holds up the intake.
_NODES_PER_SLICE, _DATASETS_PER_SLICE = 400, 40
_EDGES_PER_SLICE, _SORTED_AT_ONCE = 4000, 5000

# When the kept bytes reach this they are dropped, and made again as they are asked for.
_KEPT_BYTES = 64 << 20

_Kept = tuple[int, bytes, bytes]
"""The revision, the id as JSON, and the node's JSON up to its edges."""


# Smaller answers are made faster than they are worth remembering.
_WORTH_KEEPING = 50


class _Answer(msgspec.Struct, frozen=True, gc=False):
    entities: list[Job | Dataset]
    revisions: int  # their sum, which grows with every change of any of them
    body: bytes


class GraphWriter:
    def __init__(self, renderer: Renderer, lane: Lane) -> None:
        self._renderer, self._state, self._lane = renderer, renderer.state, lane
        self._nodes: dict[Node, _Kept] = {}
        self._columns: dict[Node, tuple[int, dict[str, _Column]]] = {}
        self._bytes = 0
        self._answers: dict[object, _Answer] = {}

    async def lineage(self, start: Node, depth: int, direction: str, when: When) -> bytes:
        key = ("lineage", start, depth, direction)
        known = self._known_answer(key, when)
        if known is not None:
            async with self._lane.large(0, len(known)):
                return known
        noted = Noted(self._state)
        graph = await in_turns(neighbourhood_in_slices(self._state, start, depth, direction, when), noted.note)
        remember = self._remember(key, noted, graph.nodes, when)
        async with self._lane.large(len(graph.nodes)):
            return remember(await self._write(graph))

    async def column_lineage(self, start: list[Column], depth: int, *, down: bool, when: When) -> bytes:
        key = ("columns", tuple(start), depth, down)
        known = self._known_answer(key, when)
        if known is not None:
            async with self._lane.large(0, len(known)):
                return known
        noted = Noted(self._state)
        walk = column_lineage_in_slices(self._state, self._renderer.contents, start, depth, down=down, when=when)
        graph = await in_turns(walk, noted.note)
        remember = self._remember(key, noted, {column[0] for column in graph.nodes}, when)
        async with self._lane.large(len(graph.nodes)):
            return remember(await self._write_columns(graph, when))

    async def path(self, start: Node, end: Node, when: When) -> bytes:
        """The ways from one node to the other, whichever of the two lies above."""
        graph = await in_turns(paths_in_slices(self._state, start, end, when))
        if not graph.nodes:
            graph = await in_turns(paths_in_slices(self._state, end, start, when))
        async with self._lane.large(len(graph.nodes)):
            return await self._write(graph)

    async def column_path(self, start: list[Column], end: list[Column], when: When) -> bytes:
        contents = self._renderer.contents
        graph = await in_turns(column_paths_in_slices(self._state, contents, start, end, when))
        if not graph.nodes:
            graph = await in_turns(column_paths_in_slices(self._state, contents, end, start, when))
        async with self._lane.large(len(graph.nodes)):
            return await self._write_columns(graph, when)

    def _known_answer(self, key: object, when: When) -> bytes | None:
        """The same answer as last time, if none of its nodes has changed since."""
        known = self._answers.get(key) if isinstance(when, Always) else None
        if known is None or sum([entity.revision for entity in known.entities]) != known.revisions:
            return None
        return known.body

    def _remember(self, key: object, noted: Noted, nodes: Iterable[Node], when: When) -> Callable[[bytes], bytes]:
        """To be called as soon as the graph is known, before waiting for anything, as events
        come in meanwhile: should one of them touch the graph, the answer is not used again."""
        entities = [self._state.nodes[node] for node in nodes]
        revisions = noted.sum_of(entities)

        def remember(body: bytes) -> bytes:
            if isinstance(when, Always) and len(entities) >= _WORTH_KEEPING:
                self._answers.pop(key, None)
                self._answers[key] = _Answer(entities, revisions, body)
                while sum(len(a.body) for a in self._answers.values()) > _KEPT_BYTES:
                    del self._answers[next(iter(self._answers))]
            return body

        return remember

    async def _write(self, graph: Subgraph) -> bytes:
        kept: dict[Node, _Kept] = {}
        nodes, known = self._state.nodes, self._nodes
        for count, node in enumerate(graph.nodes, 1):
            at_hand = known.get(node)
            if at_hand is None or at_hand[0] != nodes[node].revision:
                at_hand = self._node(node)
            kept[node] = at_hand
            if count % _NODES_PER_SLICE == 0:
                await asyncio.sleep(0)
        into: defaultdict[Node, list[bytes]] = defaultdict(list)
        out: defaultdict[Node, list[bytes]] = defaultdict(list)
        for count, (src, dst) in enumerate(graph.edges, 1):
            if count % _EDGES_PER_SLICE == 0:
                await asyncio.sleep(0)
            edge = b'{"origin":%b,"destination":%b}' % (kept[src][1], kept[dst][1])
            out[src].append(edge)
            into[dst].append(edge)
        # The pieces are copied only once, when they are all there.
        parts: list[bytes] = []
        for count, (_, node) in enumerate(await _in_order([(found[1], node) for node, found in kept.items()]), 1):
            parts += (
                kept[node][2],
                b',"inEdges":[',
                b",".join(into[node]),
                b'],"outEdges":[',
                b",".join(out[node]),
                b"]},",
            )
            if count % _NODES_PER_SLICE == 0:
                await asyncio.sleep(0)
        return _whole(parts)

    def _node(self, node: Node) -> _Kept:
        """Makes a node's JSON and keeps it."""
        entity = self._state.nodes[node]
        data: shapes.JobData | shapes.DatasetData
        if isinstance(entity, Job):
            kind, node_id = b"JOB", _encode(job_node_id(entity.namespace, entity.name))
            data = self._renderer.job_data(node, shapes.JobData)
        else:
            kind, node_id = b"DATASET", _encode(dataset_node_id(entity.namespace, entity.name))
            data = self._renderer.dataset_data(node, shapes.DatasetData)
        head = b'{"id":%b,"type":"%b","data":%b' % (node_id, kind, _encode(data))
        self._make_room(len(head))
        kept = self._nodes[node] = (entity.revision, node_id, head)
        return kept

    def _make_room(self, size: int) -> None:
        self._bytes += size
        if self._bytes > _KEPT_BYTES:
            self._nodes.clear()
            self._columns.clear()
            self._bytes = size

    async def _write_columns(self, graph: ColumnGraph, when: When) -> bytes:
        """Edges of both lists start at the node itself, which Marquez clients rely on."""
        walk = ColumnWalk(self._state, self._renderer.contents, when)
        names: defaultdict[Node, set[str]] = defaultdict(set)
        for dataset, name in graph.nodes:
            names[dataset].add(name)
        known: dict[Node, dict[str, _Column]] = {}
        for count, dataset in enumerate(names, 1):
            known[dataset] = self._columns_of(walk, dataset, names[dataset])
            if count % _DATASETS_PER_SLICE == 0:
                await asyncio.sleep(0)
        into: defaultdict[Column, list[bytes]] = defaultdict(list)
        out: defaultdict[Column, list[bytes]] = defaultdict(list)
        if graph.all_inputs:
            for count, (dataset, name) in enumerate(graph.nodes, 1):
                if count % _EDGES_PER_SLICE == 0:
                    await asyncio.sleep(0)
                for source, piece in known[dataset][name].edges_to_it:
                    out[source].append(piece)
        else:
            for count, edge in enumerate(graph.edges, 1):
                if count % _EDGES_PER_SLICE == 0:
                    await asyncio.sleep(0)
                src, dst = known[edge.src[0]][edge.src[1]], known[edge.dst[0]][edge.dst[1]]
                out[edge.src].append(src.origin + dst.destination)
                into[edge.dst].append(dst.origin + src.destination)
        parts: list[bytes] = []
        for count, dataset in enumerate(sorted(names, key=lambda n: next(iter(known[n].values())).destination), 1):
            columns = known[dataset]
            included = columns if len(columns) == len(names[dataset]) else sorted(names[dataset])
            for name in included:
                column = columns[name]
                edges = out.get((dataset, name))
                outputs = b",".join(edges) if edges else b""
                if graph.all_inputs:
                    parts += (column.with_inputs, outputs, b"]},")
                else:
                    inputs = b",".join(into[dataset, name])
                    parts += (column.head, b',"inEdges":[', inputs, b'],"outEdges":[', outputs, b"]},")
            if count % _DATASETS_PER_SLICE == 0:
                await asyncio.sleep(0)
        return _whole(parts)

    def _columns_of(self, walk: ColumnWalk, dataset: Node, wanted: set[str]) -> "dict[str, _Column]":
        """The columns of a dataset, in order; all that are known, and those that are wanted."""
        revision, keep = self._state.nodes[dataset].revision, walk.is_as_now(dataset)
        kept = self._columns.get(dataset) if keep else None
        if kept is not None and kept[0] == revision and kept[1].keys() >= wanted:
            return kept[1]
        types = self._renderer.field_types(dataset)
        names = sorted({*types, *walk.links(dataset), *wanted})
        columns = {name: self._column(walk, (dataset, name), types.get(name)) for name in names}
        if keep:
            self._make_room(sum(3 * len(column.with_inputs) for column in columns.values()))
            self._columns[dataset] = (revision, columns)
        return columns

    def _column(self, walk: ColumnWalk, column: Column, field_type: str | None) -> "_Column":
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
            inputFields=[self._renderer.input_field(edge) for edge in edges],
        )
        node_id = self._column_id(column)
        sources = [(edge.src, self._column_id(edge.src)) for edge in edges]
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


class _Column(msgspec.Struct, frozen=True, gc=False):
    """Pieces of a column's JSON."""

    origin: bytes  # an edge from it, up to the other end
    destination: bytes  # the rest of an edge to it
    head: bytes  # the node up to its edges
    with_inputs: bytes  # the node up to its outgoing edges, with all that feeds it
    edges_to_it: list[tuple[Column, bytes]]  # as they stand among the outgoing edges of its inputs


_Ordered = TypeVar("_Ordered", bound=tuple[Any, ...])


async def _in_order(things: list[_Ordered]) -> list[_Ordered]:
    """Sorted. A long list is sorted in parts, and merged with turns for others in between."""
    if len(things) <= _SORTED_AT_ONCE:
        return sorted(things)
    parts: list[list[_Ordered]] = []
    for start in range(0, len(things), _SORTED_AT_ONCE):
        parts.append(sorted(things[start : start + _SORTED_AT_ONCE]))
        await asyncio.sleep(0)
    merged: list[_Ordered] = []
    for count, thing in enumerate(heapq.merge(*parts), 1):
        merged.append(thing)
        if count % _EDGES_PER_SLICE == 0:
            await asyncio.sleep(0)
    return merged


def _whole(parts: list[bytes]) -> bytes:
    """The answer, given its nodes in pieces; the last piece ends with a comma."""
    if parts:
        parts[-1] = parts[-1][:-1]
    return b"".join((b'{"graph":[', *parts, b"]}"))
