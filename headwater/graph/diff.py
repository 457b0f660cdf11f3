"""What is there at one moment and not at another: nodes, edges, edges between columns."""

from collections.abc import Iterator

import msgspec

from headwater.graph.columns import Column, ColumnWalk, Reader
from headwater.graph.slices import STEPS_PER_SLICE, Slices
from headwater.graph.traverse import CONNECTED, neighbourhood
from headwater.graph.when import At
from headwater.ids import Micros, Node
from headwater.model.entities import Edge, Job
from headwater.model.state import State
from headwater.openlineage.event import stamp_time

Pair = tuple[Node, Node]
ColumnPair = tuple[Column, Column]


class Difference(msgspec.Struct):
    nodes_added: set[Node] = msgspec.field(default_factory=set)
    nodes_removed: set[Node] = msgspec.field(default_factory=set)
    edges_added: set[Pair] = msgspec.field(default_factory=set)
    edges_removed: set[Pair] = msgspec.field(default_factory=set)
    columns_added: set[ColumnPair] = msgspec.field(default_factory=set)
    columns_removed: set[ColumnPair] = msgspec.field(default_factory=set)
    stayed: set[Node] = msgspec.field(default_factory=set)  # datasets that were there at both moments


def diff(
    state: State,
    reader: Reader,
    before: Micros,
    after: Micros,
    start: Node | None = None,
    depth: int = 20,
    limit: int | None = None,
) -> Slices[object, Difference]:
    """Around a node: what is connected to it at either moment. Without one: everything that was
    seen after the earlier moment, as nothing else can have changed. Edges between columns are no
    longer looked for when there are more than `limit`."""
    compare = _Comparison(state, reader, before, after, limit)
    if start is None:
        yield from compare.everything()
    else:
        yield from compare.around(state.aliases.canonical(start), depth)
    return compare.difference


class _Comparison:
    def __init__(self, state: State, reader: Reader, before: Micros, after: Micros, limit: int | None) -> None:
        self._state, self._times, self._limit = state, (before, after), limit
        self._early = min(before, after)
        self._whens = At(before), At(after)
        self._walks = ColumnWalk(state, reader, self._whens[0]), ColumnWalk(state, reader, self._whens[1])
        self.difference = Difference()

    def around(self, start: Node, depth: int) -> Slices[object, None]:
        was = yield from neighbourhood(self._state, start, depth, CONNECTED, self._whens[0])
        now = yield from neighbourhood(self._state, start, depth, CONNECTED, self._whens[1])
        for graph, at, when in zip((was, now), self._times, self._whens, strict=True):
            if not self._began(start, at) or when.hides(self._state, start):
                del graph.nodes[start]
        difference = self.difference
        difference.nodes_added = now.nodes.keys() - was.nodes.keys()
        difference.nodes_removed = was.nodes.keys() - now.nodes.keys()
        difference.edges_added = now.edges.keys() - was.edges.keys()
        difference.edges_removed = was.edges.keys() - now.edges.keys()
        for count, node in enumerate((*was.nodes, *difference.nodes_added)):
            if count % STEPS_PER_SLICE == 0:
                yield None
            if not isinstance(self._state.nodes[node], Job):
                self._compare_columns(node, was=node in was.nodes, now=node in now.nodes)
                if node in was.nodes and node in now.nodes:
                    difference.stayed.add(node)

    def everything(self) -> Slices[object, None]:
        state, canonical = self._state, self._state.aliases.canonical
        datasets: dict[Node, None] = {}
        deleted = self._around_deleted()
        for number in range(len(state.nodes)):
            if number % STEPS_PER_SLICE == 0:
                yield None
            entity = state.nodes[number]
            if entity.last <= self._early and number not in deleted:
                continue
            if isinstance(entity, Job):
                self._compare_node(entity.node)
                self._compare_edges((*entity.into, *entity.out))
            else:
                datasets[canonical(entity.node)] = None
        # A dataset that its job left behind was not seen again, but it is at an edge that went.
        for pair in (*self.difference.edges_added, *self.difference.edges_removed):
            datasets.update((node, None) for node in pair if not isinstance(state.nodes[node], Job))
        for count, node in enumerate(datasets):
            if count % STEPS_PER_SLICE == 0:
                yield None
            was, now = self._compare_node(node)
            self._compare_edges(e for e in self._edges(node) if not isinstance(state.nodes[e.src], Job))
            self._compare_columns(node, was=was, now=now)
            if was and now:
                self.difference.stayed.add(node)

    def _around_deleted(self) -> set[Node]:
        """What was deleted between the two moments, and what that may show at: the other ends of
        its edges, and the datasets behind them, which may have columns from it."""
        nodes, late = self._state.nodes, max(self._times)
        affected: set[Node] = set()
        for node in self._state.gone:
            if self._state.deleted(node, late) > self._early:
                affected.add(node)
                for edge in (*nodes[node].into, *nodes[node].out):
                    for end in (edge.src, edge.dst):
                        affected.add(end)
                        affected.update(beyond.dst for beyond in nodes[end].out)
        return affected

    def _edges(self, dataset: Node) -> Iterator[Edge]:
        """Those into a dataset, under all its names."""
        for member in self._state.aliases.members(dataset):
            yield from self._state.nodes[member].into

    def _began(self, node: Node, at: Micros) -> bool:
        """Whether it had been seen by then."""
        firsts = (self._state.nodes[member].first for member in self._state.aliases.members(node))
        return any(first is not None and first <= at for first in firsts)

    def _compare_node(self, node: Node) -> tuple[bool, bool]:
        was, now = (self._is_there(node, at, when) for at, when in zip(self._times, self._whens, strict=True))
        if was and not now:
            self.difference.nodes_removed.add(node)
        elif now and not was:
            self.difference.nodes_added.add(node)
        return was, now

    def _is_there(self, node: Node, at: Micros, when: At) -> bool:
        """It has an edge, or never had one and was only reported. An edge that was deleted never was."""
        state, canonical = self._state, self._state.aliases.canonical
        if not self._began(node, at) or when.hides(state, node):
            return False
        had_edges = False
        for member in state.aliases.members(node):
            for edge in (*state.nodes[member].into, *state.nodes[member].out):
                if canonical(edge.src) != canonical(edge.dst) and when.last_seen(state, edge) is not None:
                    if when.alive(state, edge):
                        return True
                    had_edges = True
        return not had_edges

    def _compare_edges(self, edges: "Iterator[Edge] | tuple[Edge, ...]") -> None:
        state, canonical = self._state, self._state.aliases.canonical
        was: set[Pair] = set()
        now: set[Pair] = set()
        for edge in edges:
            pair = canonical(edge.src), canonical(edge.dst)
            if pair[0] != pair[1]:
                if self._whens[0].alive(state, edge):
                    was.add(pair)
                if self._whens[1].alive(state, edge):
                    now.add(pair)
        self.difference.edges_added |= now - was
        self.difference.edges_removed |= was - now

    def _compare_columns(self, dataset: Node, *, was: bool, now: bool) -> None:
        if was and now and not any(self._may_differ(edge) for edge in self._edges(dataset)):
            return
        added, removed = self.difference.columns_added, self.difference.columns_removed
        more_added, more_removed = (self._limit is None or len(s) <= self._limit for s in (added, removed))
        if not (now and more_added) and not (was and more_removed):
            return
        columns_before = self._columns(self._walks[0], dataset) if was else set()
        columns_after = self._columns(self._walks[1], dataset) if now else set()
        if more_added:
            added |= columns_after - columns_before
        if more_removed:
            removed |= columns_before - columns_after

    def _may_differ(self, edge: Edge) -> bool:
        """Whether its columns can be others at the two moments; spares most datasets the reading."""
        if edge.columns is None:
            return False
        if any(stamp_time(reported.first) > self._early for reported in edge.columns):
            return True
        gone = self._state.gone
        if gone and any(n in gone for reported in edge.columns for n in (edge.src, edge.dst, *reported.sources)):
            return True
        return self._whens[0].alive(self._state, edge) != self._whens[1].alive(self._state, edge)

    @staticmethod
    def _columns(walk: ColumnWalk, dataset: Node) -> set[ColumnPair]:
        links = walk.links(dataset).values()
        return {(edge.src, edge.dst) for edges in links for edge in edges if edge.src != edge.dst}
