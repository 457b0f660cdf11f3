"""Graphs → JSON, fast.

Most of a node's JSON says what the job or dataset is, and that changes rarely: it is kept as
bytes until the revision of the job or dataset moves, and so are its edges, for answers in which
none is left out. A whole answer is used again as long as none of its nodes has changed: many
people look at the same graph.
"""

import asyncio
import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from headwater.answers.cache_budget import KEPT_BYTES, Room
from headwater.answers.column_graphs import ColumnWriter
from headwater.answers.large_answers import Lane
from headwater.answers.render import Renderer
from headwater.answers.sliced import Noted, in_turns
from headwater.graph.columns import (
    Column,
    column_lineage_in_slices,
    column_paths_in_slices,
    columns_above_in_slices,
)
from headwater.graph.traverse import Subgraph, neighbourhood_in_slices, paths_in_slices
from headwater.graph.when import Always, When
from headwater.ids import Node, dataset_node_id, job_node_id
from headwater.model.entities import Dataset, Job
from headwater.shapes import marquez as shapes

_encode = msgspec.json.Encoder().encode

# An answer is put together in pieces of this many nodes, a millisecond or two each, and events
# are taken in between: a large graph never holds up the intake.
_NODES_PER_SLICE = 400
_EDGES_PER_SLICE, _SORTED_AT_ONCE = 4000, 5000

_Kept = tuple[int, bytes, bytes]
"""The revision, the id as JSON, and the node's JSON, up to its edges or with them."""


# Smaller answers are made faster than they are worth remembering.
_WORTH_KEEPING = 50


_Ordered = TypeVar("_Ordered", bound=tuple[Any, ...])


class _Answer(msgspec.Struct, frozen=True, gc=False):
    entities: list[Job | Dataset]
    revisions: int  # their sum, which grows with every change of any of them
    body: bytes


class GraphWriter:
    def __init__(self, renderer: Renderer, lane: Lane) -> None:
        self._renderer, self._state, self._lane = renderer, renderer.state, lane
        self._nodes: dict[Node, _Kept] = {}
        self._with_edges: dict[Node, _Kept] = {}
        self._room = Room()
        self._room.shared_by(self._nodes, self._with_edges)
        self._columns = ColumnWriter(renderer, self._room)
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
            if graph.whole and isinstance(when, Always):
                body = await self._write_entire(graph)
                if noted.is_of_one_piece():
                    return remember(body)
            return remember(await self._write(graph))

    async def column_lineage(self, start: list[Column], depth: int, *, down: bool, when: When) -> bytes:
        key = ("columns", tuple(start), depth, down)
        known = self._known_answer(key, when)
        if known is not None:
            async with self._lane.large(0, len(known)):
                return known
        noted = Noted(self._state)
        contents = self._renderer.contents
        if not down:
            above = await in_turns(columns_above_in_slices(self._state, contents, start, depth, when), noted.note)
            if above.all_inputs:
                remember = self._remember(key, noted, above.names, when)
                async with self._lane.large(sum([len(names) for names in above.names.values()])):
                    parts = await self._columns.with_all_inputs(above, when)
                    if noted.is_of_one_piece():
                        return remember(_whole(parts))
        walk = column_lineage_in_slices(self._state, contents, start, depth, down=down, when=when)
        graph = await in_turns(walk, noted.note)
        remember = self._remember(key, noted, {column[0] for column in graph.nodes}, when)
        async with self._lane.large(len(graph.nodes)):
            return remember(_whole(await self._columns.any_part(graph, when)))

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
            return _whole(await self._columns.any_part(graph, when))

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
                while sum(len(a.body) for a in self._answers.values()) > KEPT_BYTES:
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
            edge = _edge(kept[src][1], kept[dst][1])
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
            data.latestRun = self._renderer.latest_run(entity)
        else:
            kind, node_id = b"DATASET", _encode(dataset_node_id(entity.namespace, entity.name))
            data = self._renderer.dataset_data(node, shapes.DatasetData)
        head = b'{"id":%b,"type":"%b","data":%b' % (node_id, kind, _encode(data))
        self._room.take(len(head))
        kept = self._nodes[node] = (entity.revision, node_id, head)
        return kept

    def _known_node(self, node: Node) -> _Kept:
        kept = self._nodes.get(node)
        return kept if kept is not None and kept[0] == self._state.nodes[node].revision else self._node(node)

    async def _write_entire(self, graph: Subgraph) -> bytes:
        """An answer in which no edge of any node is left out."""
        found: list[tuple[bytes, bytes]] = []
        nodes, known = self._state.nodes, self._with_edges
        for count, node in enumerate(graph.nodes, 1):
            kept = known.get(node)
            if kept is None or kept[0] != nodes[node].revision:
                kept = self._make_with_edges(node)
            found.append(kept[1:])
            if count % _NODES_PER_SLICE == 0:
                await asyncio.sleep(0)
        return _whole([piece for _, piece in await _in_order(found)])

    def _make_with_edges(self, node: Node) -> _Kept:
        state, canonical = self._state, self._state.aliases.canonical
        entities = [state.nodes[member] for member in state.aliases.members(node)]
        own = self._known_node(node)
        into = dict.fromkeys(canonical(e.src) for x in entities for e in x.into if not state.is_gone(e))
        out = dict.fromkeys(canonical(e.dst) for x in entities for e in x.out if not state.is_gone(e))
        into.pop(node, None)
        out.pop(node, None)
        piece = b'%b,"inEdges":[%b],"outEdges":[%b]},' % (
            own[2],
            b",".join([_edge(self._known_node(other)[1], own[1]) for other in into]),
            b",".join([_edge(own[1], self._known_node(other)[1]) for other in out]),
        )
        self._room.take(len(piece))
        kept = self._with_edges[node] = (own[0], own[1], piece)
        return kept


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


def _edge(origin: bytes, destination: bytes) -> bytes:
    return b'{"origin":%b,"destination":%b}' % (origin, destination)


def _whole(parts: list[bytes]) -> bytes:
    """The answer, given its nodes in pieces; the last piece ends with a comma."""
    if parts:
        parts[-1] = parts[-1][:-1]
    return b"".join((b'{"graph":[', *parts, b"]}"))
