"""Graphs → JSON, fast.

Most of a node's JSON says what the job or dataset is, and that changes rarely: it is cached as
bytes until the revision of the job or dataset moves, and so are its edges, for answers in which
none is left out. A whole answer is used again as long as none of its nodes has changed: many
people look at the same graph.
"""

import asyncio
import heapq
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from typing import Any, TypeVar

import msgspec

from headwater.answers.cache_budget import CACHE_BYTES, CacheBudget
from headwater.answers.column_graphs import ColumnWriter
from headwater.answers.large_answers import LargeAnswers
from headwater.answers.render import Renderer
from headwater.answers.sliced import RevisionsSeen, run_sliced
from headwater.graph.columns import (
    Column,
    column_lineage,
    column_paths,
    columns_above,
)
from headwater.graph.traverse import Subgraph, neighbourhood, paths
from headwater.graph.when import Always, When
from headwater.ids import Node, dataset_node_id, job_node_id
from headwater.model.entities import Dataset, Job
from headwater.model.state import State
from headwater.shapes import marquez as shapes

_encode = msgspec.json.Encoder().encode

# An answer is put together in pieces of this many nodes, a millisecond or two each, and events
# are taken in between: a large graph never holds up ingest.
_NODES_PER_SLICE = 400
_EDGES_PER_SLICE, _SORTED_AT_ONCE = 4000, 5000

# Smaller answers are made faster than they are worth remembering.
_FEWEST_CACHED = 50

# Between the id of a node and its data.
_JOB, _DATASET = b',"type":"JOB","data":', b',"type":"DATASET","data":'

_Pieces = tuple[bytes, bytes, bytes, bytes]
"""A node's JSON in pieces: the id, the type, the data, and the edges."""


class _NodeJson(msgspec.Struct, gc=False):
    revision: int
    kind: bytes
    data: bytes
    edges: bytes = b""  # all of them; empty: not made yet


_Ordered = TypeVar("_Ordered", bound=tuple[Any, ...])


class _Answer(msgspec.Struct, frozen=True, gc=False):
    entities: list[Job | Dataset]
    revisions: int  # their sum, which grows with every change of any of them
    body: bytes


class GraphWriter:
    def __init__(self, renderer: Renderer, large_answers: LargeAnswers) -> None:
        self._renderer, self._state, self._large_answers = renderer, renderer.state, large_answers
        self._budget = CacheBudget()
        self._ids = _NodeIds(renderer.state, self._budget)
        self._nodes: dict[Node, _NodeJson] = {}
        self._budget.share(self._ids, self._nodes)
        self._columns = ColumnWriter(renderer, self._budget)
        self._answers: dict[object, _Answer] = {}

    async def lineage(self, start: Node, depth: int, direction: str, when: When) -> bytes:
        key = ("lineage", start, depth, direction)
        known = self._known_answer(key, when)
        if known is not None:
            async with self._large_answers.turn(0, len(known)):
                return known
        seen = RevisionsSeen(self._state)
        graph = await run_sliced(neighbourhood(self._state, start, depth, direction, when), seen.record)
        remember = self._remember(key, seen, graph.nodes, when)
        async with self._large_answers.turn(len(graph.nodes)):
            if graph.whole and isinstance(when, Always):
                body = await self._write_entire(graph)
                if seen.structure_is_the_same():
                    return remember(body)
            return remember(await self._write(graph))

    async def column_lineage(self, start: list[Column], depth: int, *, down: bool, when: When) -> bytes:
        key = ("columns", tuple(start), depth, down)
        known = self._known_answer(key, when)
        if known is not None:
            async with self._large_answers.turn(0, len(known)):
                return known
        seen = RevisionsSeen(self._state)
        contents = self._renderer.contents
        if not down:
            above = await run_sliced(columns_above(self._state, contents, start, depth, when), seen.record)
            if above.all_inputs:
                remember = self._remember(key, seen, above.names, when)
                async with self._large_answers.turn(sum([len(names) for names in above.names.values()])):
                    parts = await self._columns.with_all_inputs(above, when)
                    if seen.structure_is_the_same():
                        return remember(_whole(parts))
        walk = column_lineage(self._state, contents, start, depth, down=down, when=when)
        graph = await run_sliced(walk, seen.record)
        remember = self._remember(key, seen, {column[0] for column in graph.nodes}, when)
        async with self._large_answers.turn(len(graph.nodes)):
            return remember(_whole(await self._columns.any_part(graph, when)))

    async def path(self, start: Node, end: Node, when: When) -> bytes:
        """The ways from one node to the other, whichever of the two lies above."""
        graph = await run_sliced(paths(self._state, start, end, when))
        if not graph.nodes:
            graph = await run_sliced(paths(self._state, end, start, when))
        async with self._large_answers.turn(len(graph.nodes)):
            return await self._write(graph)

    async def column_path(self, start: list[Column], end: list[Column], when: When) -> bytes:
        contents = self._renderer.contents
        graph = await run_sliced(column_paths(self._state, contents, start, end, when))
        if not graph.nodes:
            graph = await run_sliced(column_paths(self._state, contents, end, start, when))
        async with self._large_answers.turn(len(graph.nodes)):
            return _whole(await self._columns.any_part(graph, when))

    def _known_answer(self, key: object, when: When) -> bytes | None:
        """The same answer as last time, if none of its nodes has changed since."""
        known = self._answers.get(key) if isinstance(when, Always) else None
        if known is None or sum([entity.revision for entity in known.entities]) != known.revisions:
            return None
        return known.body

    def _remember(
        self, key: object, seen: RevisionsSeen, nodes: Iterable[Node], when: When
    ) -> Callable[[bytes], bytes]:
        """To be called as soon as the graph is known, before waiting for anything, as events
        come in meanwhile: should one of them touch the graph, the answer is not used again."""
        entities = [self._state.nodes[node] for node in nodes]
        revisions = seen.sum_of(entities)

        def remember(body: bytes) -> bytes:
            if isinstance(when, Always) and len(entities) >= _FEWEST_CACHED:
                self._answers.pop(key, None)
                self._answers[key] = _Answer(entities, revisions, body)
                while sum(len(a.body) for a in self._answers.values()) > CACHE_BYTES:
                    del self._answers[next(iter(self._answers))]
            return body

        return remember

    async def _write(self, graph: Subgraph) -> bytes:
        """An answer with the edges of the graph, whatever is left out."""
        ids = self._ids
        into: defaultdict[Node, list[bytes]] = defaultdict(list)
        out: defaultdict[Node, list[bytes]] = defaultdict(list)
        for count, (src, dst) in enumerate(graph.edges, 1):
            if count % _EDGES_PER_SLICE == 0:
                await asyncio.sleep(0)
            out[src].append(ids[dst])
            into[dst].append(ids[src])
        pieces: list[_Pieces] = []
        async for part in self._in_parts(graph):
            for node in part:
                cached = self._nodes.get(node)
                if cached is None or cached.revision != self._state.nodes[node].revision:
                    cached = self._make(node)
                pieces.append((ids[node], cached.kind, cached.data, _edges_json(ids[node], into[node], out[node])))
        return await _joined(pieces)

    async def _write_entire(self, graph: Subgraph) -> bytes:
        """An answer in which no edge of any node is left out."""
        pieces: list[_Pieces] = []
        entities, ids, nodes = self._state.nodes, self._ids, self._nodes
        async for part in self._in_parts(graph):
            for node in part:
                cached = nodes.get(node)
                if cached is None or cached.revision != entities[node].revision:
                    cached = self._make(node)
                pieces.append((ids[node], cached.kind, cached.data, cached.edges or self._make_edges(node, cached)))
        return await _joined(pieces)

    async def _in_parts(self, graph: Subgraph) -> AsyncIterator[list[Node]]:
        """With turns for others in between. If something has to be read for one node, it is read for all of a part."""
        nodes = list(graph.nodes)
        for start in range(0, len(nodes), _NODES_PER_SLICE):
            part = nodes[start : start + _NODES_PER_SLICE]
            self._renderer.contents.prefetch_at_first_miss(partial(self._renderer.contents_of, part))
            yield part
            await asyncio.sleep(0)

    def _make(self, node: Node) -> _NodeJson:
        """Makes the JSON of a job or dataset and caches it, without its edges."""
        entity = self._state.nodes[node]
        if isinstance(entity, Job):
            job = self._renderer.jobs.data(node, shapes.JobData)
            job.latestRun = self._renderer.jobs.latest_run(entity)
            made = _NodeJson(entity.revision, _JOB, _encode(job))
        else:
            dataset = self._renderer.datasets.data(node, shapes.DatasetData)
            made = _NodeJson(entity.revision, _DATASET, _encode(dataset))
        self._budget.spend(len(made.data))
        self._nodes[node] = made
        return made

    def _make_edges(self, node: Node, cached: _NodeJson) -> bytes:
        """Makes the JSON of all edges of a node and caches it with the node."""
        state, entity, ids = self._state, self._state.nodes[node], self._ids
        if state.aliases.grouped or state.gone:
            sources, targets = self._neighbours(node)
        else:
            sources = [ids[edge.src] for edge in entity.into if edge.src != node]
            targets = [ids[edge.dst] for edge in entity.out if edge.dst != node]
        edges = cached.edges = _edges_json(ids[node], sources, targets)
        self._budget.spend(len(edges))
        return edges

    def _neighbours(self, node: Node) -> tuple[list[bytes], list[bytes]]:
        """Of a node by all its names, each under its canonical name, without those that were deleted."""
        state, canonical = self._state, self._state.aliases.canonical
        entities = [state.nodes[member] for member in state.aliases.members(node)]
        into = dict.fromkeys(canonical(e.src) for x in entities for e in x.into if not state.is_gone(e))
        out = dict.fromkeys(canonical(e.dst) for x in entities for e in x.out if not state.is_gone(e))
        return [self._ids[other] for other in into if other != node], [
            self._ids[other] for other in out if other != node
        ]


class _NodeIds(dict[Node, bytes]):
    """The ids of nodes as JSON, made when they are first needed."""

    def __init__(self, state: State, budget: CacheBudget) -> None:
        self._state, self._budget = state, budget

    def __missing__(self, node: Node) -> bytes:
        entity = self._state.nodes[node]
        name = job_node_id if isinstance(entity, Job) else dataset_node_id
        node_id = _encode(name(entity.namespace, entity.name))
        self._budget.spend(len(node_id))
        self[node] = node_id
        return node_id


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


def _edges_json(node_id: bytes, sources: list[bytes], targets: list[bytes]) -> bytes:
    """From a node's data to its end. What stands between two edges of a list is the same everywhere."""
    into = out = b""
    if sources:
        to_it = b',"destination":' + node_id + b"}"
        into = b'{"origin":' + (to_it + b',{"origin":').join(sources) + to_it
    if targets:
        from_it = b'{"origin":' + node_id + b',"destination":'
        out = from_it + (b"}," + from_it).join(targets) + b"}"
    return b',"inEdges":[' + into + b'],"outEdges":[' + out + b"]},"


async def _joined(nodes: list[_Pieces]) -> bytes:
    """The answer. Megabytes are copied only once, when all the pieces are there."""
    parts: list[bytes] = []
    for node_id, kind, data, edges in await _in_order(nodes):
        parts += (b'{"id":', node_id, kind, data, edges)
    return _whole(parts)


def _whole(parts: list[bytes]) -> bytes:
    """The answer, given its nodes in pieces; the last piece ends with a comma."""
    if not parts:
        return b'{"graph":[]}'
    parts[0] = b'{"graph":[' + parts[0]
    parts[-1] = parts[-1][:-1] + b"]}"
    return b"".join(parts)
