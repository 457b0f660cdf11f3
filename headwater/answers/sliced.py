"""Walks on the event loop: a slice, then a turn for everyone else, then the next slice."""

import asyncio
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, TypeVar

from headwater.graph.columns import ColumnGraph, ColumnSets
from headwater.graph.slices import Slices
from headwater.graph.traverse import Subgraph
from headwater.ids import Node
from headwater.model.entities import Dataset, Job
from headwater.model.state import State

_Partial = TypeVar("_Partial")
_Result = TypeVar("_Result")

_Key = TypeVar("_Key")

_Graph = Subgraph | ColumnGraph | ColumnSets


async def run_sliced(slices: Slices[_Partial, _Result], on_slice: Callable[[_Partial], None] | None = None) -> _Result:
    """Walks to the end. `on_slice` sees what there is so far, while it is still true."""
    while True:
        try:
            partial = next(slices)
        except StopIteration as end:
            result: _Result = end.value
            return result
        if on_slice is not None:
            on_slice(partial)
        await asyncio.sleep(0)


class RevisionsSeen:
    """The revisions of nodes at the time when a walk in slices met them. An event that comes in
    between two slices may change what the walk has seen already, and must not go unnoticed."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._structure = state.structure
        self._revisions: dict[Node, int] = {}
        self._graph: _Graph | None = None
        self._count = 0

    def record(self, graph: _Graph) -> None:
        if graph is not self._graph:
            self._graph, self._count = graph, 0
        nodes: Iterable[Node]
        if isinstance(graph, ColumnGraph):
            nodes = {column[0] for column in self._new(graph.nodes)}
        else:
            nodes = self._new(graph.names if isinstance(graph, ColumnSets) else graph.nodes)
        entities, revisions = self._state.nodes, self._revisions
        for node in nodes:
            revisions.setdefault(node, entities[node].revision)

    def _new(self, nodes: dict[_Key, Any]) -> Iterable[_Key]:
        before, self._count = self._count, len(nodes)
        return islice(reversed(nodes), len(nodes) - before)

    def structure_is_the_same(self) -> bool:
        """Whether there are still the same edges, names and columns as when the walk began."""
        return self._state.structure == self._structure

    def sum_of(self, entities: list[Job | Dataset]) -> int:
        if not self._revisions:
            return sum([entity.revision for entity in entities])
        return sum([self._revisions.get(entity.node, entity.revision) for entity in entities])
