"""Column level: which columns feed which, up and down. The same walk, one granularity finer."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import msgspec

from headwater.graph.flow import column_set
from headwater.graph.when import Always, When
from headwater.ids import Node
from headwater.model.entities import ColumnSet, Edge, Job
from headwater.model.state import State
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

    def inputs_of(self, field: str) -> tuple[FieldInput, ...]:
        return self.fields.get(field, ()) + self.whole


class Reader(Protocol):
    """Where contents are read; facets are not kept in memory."""

    def columns(self, state: State, told: ColumnSet, target: Node) -> Columns: ...
    def field_names(self, state: State, dataset: Node) -> list[str]: ...


class ColumnEdge(msgspec.Struct, frozen=True, gc=False):
    src: Column
    dst: Column
    producer: Node  # the job; the dataset itself where no job was named
    transformations: tuple[Transformation, ...]


class ColumnGraph(msgspec.Struct):
    nodes: dict[Column, int] = msgspec.field(default_factory=dict)
    edges: dict[tuple[Column, Column], ColumnEdge] = msgspec.field(default_factory=dict)

    def add(self, edge: ColumnEdge) -> None:
        """One column may feed another in several ways, such as copied and filtered by."""
        key = (edge.src, edge.dst)
        known = self.edges.setdefault(key, edge)
        if known is not edge and known.transformations != edge.transformations:
            every = dict.fromkeys((*known.transformations, *edge.transformations))
            self.edges[key] = msgspec.structs.replace(known, transformations=tuple(every))


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
    walk = _Walk(state, reader, when or Always())
    found = ColumnGraph(dict.fromkeys(start, 0))
    starts = list(found.nodes)
    if up:
        _spread(found, starts, depth, walk.into, lambda edge: edge.src)
    if down:
        _spread(found, starts, depth, walk.out_of, lambda edge: edge.dst)
    return found


def columns_of(state: State, reader: Reader, dataset: Node, when: When | None = None) -> list[Column]:
    """All columns of a dataset: those of its schema, and those that only lineage knows."""
    walk = _Walk(state, reader, when or Always())
    names = dict.fromkeys(reader.field_names(state, dataset))
    for _, columns in walk.written(dataset):
        names.update(dict.fromkeys(columns.fields))
    names.update(dict.fromkeys(walk.read_names(dataset)))
    return [(dataset, name) for name in names]


def _spread(
    found: ColumnGraph,
    starts: list[Column],
    depth: int,
    steps: Callable[[Column], Iterable[ColumnEdge]],
    far_end: Callable[[ColumnEdge], Column],
) -> None:
    reached = set(starts)
    frontier = starts
    for distance in range(1, depth + 1):
        fresh: list[Column] = []
        for column in frontier:
            for edge in steps(column):
                found.add(edge)
                other = far_end(edge)
                if other not in reached:
                    reached.add(other)
                    fresh.append(other)
                    found.nodes.setdefault(other, distance)
        frontier = fresh


class _Walk:
    """Reads each column set once, whatever the number of columns that are asked for."""

    def __init__(self, state: State, reader: Reader, when: When) -> None:
        self._state, self._reader, self._when = state, reader, when
        self._into: dict[Node, list[tuple[Edge, Columns]]] = {}
        self._out: dict[Node, dict[str, list[ColumnEdge]]] = {}

    def into(self, column: Column) -> Iterator[ColumnEdge]:
        dataset, field = column
        canonical = self._state.aliases.canonical
        for edge, columns in self.written(dataset):
            for source in columns.inputs_of(field):
                yield ColumnEdge((canonical(source.dataset), source.field), column, edge.src, source.transformations)

    def out_of(self, column: Column) -> list[ColumnEdge]:
        dataset, field = column
        return self._by_field(dataset).get(field, [])

    def read_names(self, dataset: Node) -> Iterable[str]:
        """The columns that somebody is known to read."""
        return self._by_field(dataset)

    def _by_field(self, dataset: Node) -> dict[str, list[ColumnEdge]]:
        known = self._out.get(dataset)
        if known is None:
            known = self._out[dataset] = self._read_out(dataset)
        return known

    def written(self, dataset: Node) -> list[tuple[Edge, Columns]]:
        known = self._into.get(dataset)
        if known is None:
            known = self._into[dataset] = [
                (edge, self._reader.columns(self._state, told, edge.dst))
                for member in self._state.aliases.members(dataset)
                for edge in self._state.nodes[member].into
                if self._when.alive(self._state, edge)
                for told in [column_set(self._state, edge, self._when)]
                if told is not None
            ]
        return known

    def _read_out(self, dataset: Node) -> dict[str, list[ColumnEdge]]:
        """All that the columns of a dataset feed, by column."""
        state, canonical = self._state, self._state.aliases.canonical
        found: dict[str, list[ColumnEdge]] = {}
        for target in self._targets(dataset):
            for edge, columns in self.written(target):
                names = list(columns.fields)
                if columns.whole:
                    known = set(names)
                    names += [n for n in self._reader.field_names(state, target) if n not in known]
                for name in names:
                    for source in columns.inputs_of(name):
                        if canonical(source.dataset) == dataset:
                            found.setdefault(source.field, []).append(
                                ColumnEdge((dataset, source.field), (target, name), edge.src, source.transformations)
                            )
        return found

    def _targets(self, dataset: Node) -> set[Node]:
        """Datasets that may have columns from this one: one edge or one job away."""
        state, canonical = self._state, self._state.aliases.canonical
        found: set[Node] = set()
        for member in state.aliases.members(dataset):
            for edge in state.nodes[member].out:
                found.update(canonical(n) for n in _datasets_behind(state, edge))
        return found


def _datasets_behind(state: State, edge: Edge) -> Iterator[Node]:
    end = state.nodes[edge.dst]
    if isinstance(end, Job):
        yield from (e.dst for e in end.out if not isinstance(state.nodes[e.dst], Job))
    else:
        yield edge.dst
