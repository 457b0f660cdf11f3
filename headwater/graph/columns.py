"""Column level: which columns feed which, up and down. The same walk, one granularity finer."""

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Protocol

import msgspec

from headwater.graph.flow import column_set
from headwater.graph.when import Always, When
from headwater.ids import Node
from headwater.model.entities import ColumnSet, Edge, Job
from headwater.model.state import State
from headwater.openlineage.event import stamp_time
from headwater.openlineage.facets import Transformation

Column = tuple[Node, str]
"""A canonical dataset and the name of its column."""


class FieldInput(msgspec.Struct, frozen=True, gc=False):
    dataset: Node
    field: str
    transformations: tuple[Transformation, ...]


class Columns(msgspec.Struct, frozen=True, gc=False):
    """One column set, read: output column → inputs, and inputs that touch every column."""

    fields: dict[str, tuple[FieldInput, ...]]
    whole: tuple[FieldInput, ...] = ()


class ColumnEdge(msgspec.Struct, frozen=True, gc=False, eq=False):
    src: Column
    dst: Column
    transformations: tuple[Transformation, ...]
    producers: tuple[Node, ...]  # jobs; the dataset itself where no job was named


Links = dict[str, list[ColumnEdge]]
"""All that feeds the columns of one dataset, by column; columns that nothing feeds are absent."""


class Reader(Protocol):
    """Where facet contents are read, and `Links` kept between questions."""

    links: dict[Node, tuple[int, Links]]  # with the revision of the dataset that they belong to

    def columns(self, state: State, told: ColumnSet, target: Node) -> Columns: ...
    def field_names(self, state: State, dataset: Node) -> list[str]: ...


class ColumnGraph(msgspec.Struct):
    nodes: dict[Column, int]  # with the distance from the start
    edges: list[ColumnEdge] = msgspec.field(default_factory=list)
    all_inputs: bool = False  # for each node, all that feeds it is here too


def column_lineage(
    state: State,
    reader: Reader,
    start: Iterable[Column],
    depth: int,
    *,
    up: bool = True,
    down: bool = False,
    when: When | None = None,
) -> ColumnGraph:
    walk = ColumnWalk(state, reader, when)
    starts = list(dict.fromkeys(start))
    found = ColumnGraph(dict.fromkeys(starts, 0))
    if up:
        found.all_inputs = _spread(found, starts, depth, walk.into, _SRC)
    if down:
        found.all_inputs = False
        _spread(found, starts, depth, walk.out_of, _DST)
        # In a circle an edge is met on both ways.
        found.edges = list({id(edge): edge for edge in found.edges}.values())
    return found


_SRC, _DST = attrgetter("src"), attrgetter("dst")


def columns_of(state: State, reader: Reader, dataset: Node, when: When | None = None) -> list[Column]:
    """All columns of a dataset: those of its schema, and those that only lineage knows."""
    walk = ColumnWalk(state, reader, when)
    names = dict.fromkeys(reader.field_names(state, dataset))
    names.update(dict.fromkeys(walk.links(dataset)))
    names.update(dict.fromkeys(walk.read(dataset)))
    return [(dataset, name) for name in names]


def _spread(
    found: ColumnGraph,
    starts: list[Column],
    depth: int,
    steps: Callable[[Column], Iterable[ColumnEdge]],
    far_end: Callable[[ColumnEdge], Column],
) -> bool:
    """Follows edges from the starts; True when it came to every end before the depth did."""
    nodes, edges = found.nodes, found.edges
    reached = set(starts)
    frontier = starts
    for distance in range(1, depth + 1):
        fresh: list[Column] = []
        for column in frontier:
            links = steps(column)
            edges += links
            for other in map(far_end, links):
                if other not in reached:
                    reached.add(other)
                    fresh.append(other)
                    nodes.setdefault(other, distance)
        if not fresh:
            return True
        frontier = fresh
    return not frontier


class ColumnWalk:
    """Steps from column to column. Links are made once for a dataset, whatever the number of
    columns that are asked for, and for the present kept until the dataset changes."""

    def __init__(self, state: State, reader: Reader, when: When | None) -> None:
        self._state, self._reader = state, reader
        self._when = when or Always()
        present = isinstance(self._when, Always)
        self._links: dict[Node, tuple[int, Links]] = reader.links if present else {}
        self._read: dict[Node, Links] = {}

    def into(self, column: Column) -> Iterable[ColumnEdge]:
        return self.links(column[0]).get(column[1], ())

    def out_of(self, column: Column) -> Iterable[ColumnEdge]:
        return self.read(column[0]).get(column[1], ())

    def links(self, dataset: Node) -> Links:
        revision = self._state.nodes[dataset].revision
        known = self._links.get(dataset)
        if known is None or known[0] != revision:
            known = self._links[dataset] = (revision, self._make_links(dataset))
        return known[1]

    def _make_links(self, dataset: Node) -> Links:
        state, canonical = self._state, self._state.aliases.canonical
        # One column may feed another in several ways, such as copied and filtered by.
        found: dict[str, dict[Column, tuple[dict[Transformation, None], dict[Node, None]]]] = {}
        for edge, told in self._told(dataset):
            columns = self._reader.columns(state, told, edge.dst)
            names = list(columns.fields)
            if columns.whole:
                names += [n for n in self._reader.field_names(state, dataset) if n not in columns.fields]
            for name in names:
                inputs = found.setdefault(name, {})
                for source in columns.fields.get(name, ()) + columns.whole:
                    if state.gone and self._when.deleted(state, source.dataset) >= stamp_time(told.last):
                        continue
                    how, producers = inputs.setdefault((canonical(source.dataset), source.field), ({}, {}))
                    how.update(dict.fromkeys(source.transformations))
                    producers[edge.src] = None
        return {
            name: [
                ColumnEdge(source, (dataset, name), tuple(how), tuple(producers))
                for source, (how, producers) in inputs.items()
            ]
            for name, inputs in found.items()
        }

    def _told(self, dataset: Node) -> Iterator[tuple[Edge, ColumnSet]]:
        for member in self._state.aliases.members(dataset):
            for edge in self._state.nodes[member].into:
                if edge.columns is not None and self._when.alive(self._state, edge):
                    told = column_set(self._state, edge, self._when)
                    if told is not None:
                        yield edge, told

    def read(self, dataset: Node) -> Links:
        """All that the columns of a dataset feed, by column."""
        known = self._read.get(dataset)
        if known is None:
            known = self._read[dataset] = {}
            for target in self._targets(dataset):
                for edges in self.links(target).values():
                    for edge in edges:
                        if edge.src[0] == dataset:
                            known.setdefault(edge.src[1], []).append(edge)
        return known

    def _targets(self, dataset: Node) -> dict[Node, None]:
        """Datasets that may have columns from this one: one edge or one job away."""
        state, canonical = self._state, self._state.aliases.canonical
        found: dict[Node, None] = {}
        for member in state.aliases.members(dataset):
            for edge in state.nodes[member].out:
                end = state.nodes[edge.dst]
                behind = [e.dst for e in end.out] if isinstance(end, Job) else [edge.dst]
                found.update((canonical(n), None) for n in behind if not isinstance(state.nodes[n], Job))
        return found
