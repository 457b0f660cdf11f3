"""Column level: which columns feed which, up and down. The same walk, one granularity finer."""

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Protocol

import msgspec

from headwater.graph.flow import column_set
from headwater.graph.slices import Slices, finish
from headwater.graph.when import Always, When
from headwater.ids import ContentId, Node
from headwater.model.entities import ColumnSet, Edge, Job
from headwater.model.state import State
from headwater.openlineage.event import stamp_time
from headwater.openlineage.facets import Transformation

# Where links are not at hand, the columns of one dataset take some hundred microseconds.
_COLUMNS_PER_SLICE, _DATASETS_PER_SLICE = 250, 10

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

    def and_also(self, transformations: tuple[Transformation, ...], producer: Node) -> "ColumnEdge":
        how = dict.fromkeys((*self.transformations, *transformations))
        return ColumnEdge(self.src, self.dst, tuple(how), tuple(dict.fromkeys((*self.producers, producer))))


Links = dict[str, list[ColumnEdge]]
"""All that feeds the columns of one dataset, by column; columns that nothing feeds are absent."""


Feeding = dict[Node, set[str]]
"""Columns by dataset: all that feeds the columns of another dataset."""


class Reader(Protocol):
    """Where facet contents are read, and `Links` and what is made of them are cached between questions,
    with the revision of the dataset that they belong to."""

    links: dict[Node, tuple[int, Links]]
    feeding: dict[Node, tuple[int, Feeding]]

    def columns(self, state: State, reported: ColumnSet, target: Node) -> Columns: ...
    def prefetch_columns(self, columns: Iterable[tuple[ColumnSet, Node]]) -> None:
        """To be called before `columns` is called for many: they are read at once."""

    def field_names(self, state: State, dataset: Node) -> list[str]: ...
    def schema_content(self, state: State, dataset: Node) -> ContentId | None: ...


class ColumnGraph(msgspec.Struct):
    nodes: dict[Column, int]  # with the distance from the start
    edges: list[ColumnEdge] = msgspec.field(default_factory=list)
    all_inputs: bool = False  # for each node, all that feeds it is here too


ColumnSlices = Slices[ColumnGraph, ColumnGraph]


class ColumnSets(msgspec.Struct):
    """Columns by dataset, where nobody needs to know how far each is from the start."""

    names: dict[Node, set[str]]
    all_inputs: bool = False


def column_lineage(
    state: State,
    reader: Reader,
    start: Iterable[Column],
    depth: int,
    *,
    up: bool = True,
    down: bool = False,
    when: When | None = None,
) -> ColumnSlices:
    walk = ColumnWalk(state, reader, when)
    starts = list(dict.fromkeys(start))
    graph = ColumnGraph(dict.fromkeys(starts, 0))
    if up:
        graph.all_inputs = yield from _spread(graph, starts, depth, walk.into, _SRC)
    if down:
        graph.all_inputs = False
        yield from _spread(graph, starts, depth, walk.out_of, _DST, walk.reading)
        # In a circle an edge is met on both ways.
        graph.edges = list({id(edge): edge for edge in graph.edges}.values())
    return graph


def columns_above(
    state: State, reader: Reader, start: Iterable[Column], depth: int, when: When | None = None
) -> Slices[ColumnSets, ColumnSets]:
    """The columns of `column_lineage` upwards, found dataset by dataset: mostly all columns of a
    dataset are needed, and what feeds them all is one set for each dataset that feeds it."""
    walk = ColumnWalk(state, reader, when)
    frontier: dict[Node, set[str]] = {}
    for dataset, name in start:
        frontier.setdefault(dataset, set()).add(name)
    above = ColumnSets({dataset: set(names) for dataset, names in frontier.items()})
    count = 0
    for _ in range(depth):
        fresh: dict[Node, set[str]] = {}
        for dataset, names in frontier.items():
            count += 1
            if count % _DATASETS_PER_SLICE == 0:
                yield above
            for source, columns in walk.feeding(dataset, names).items():
                reached = above.names.setdefault(source, set())
                new = columns - reached
                if new:
                    reached |= new
                    fresh.setdefault(source, set()).update(new)
        if not fresh:
            above.all_inputs = True
            break
        frontier = fresh
    return above


def column_paths(
    state: State, reader: Reader, start: Iterable[Column], end: Iterable[Column], when: When | None = None
) -> ColumnSlices:
    """Every column and edge on some way from `start` down to `end`; empty if there is none."""
    walk, deep = ColumnWalk(state, reader, when), len(state.nodes)
    starts, ends = list(dict.fromkeys(start)), list(dict.fromkeys(end))
    below, above = ColumnGraph(dict.fromkeys(starts, 0)), ColumnGraph(dict.fromkeys(ends, 0))
    yield from _spread(below, starts, deep, walk.out_of, _DST, walk.reading)
    if not any(column in below.nodes for column in ends):
        return ColumnGraph({})
    yield from _spread(above, ends, deep, walk.into, _SRC)
    return ColumnGraph(
        {column: distance for column, distance in below.nodes.items() if column in above.nodes},
        [edge for edge in below.edges if edge.src in above.nodes and edge.dst in above.nodes],
    )


_SRC, _DST = attrgetter("src"), attrgetter("dst")


def columns_of(state: State, reader: Reader, dataset: Node, when: When | None = None) -> Slices[None, list[Column]]:
    """All columns of a dataset: those of its schema, and those that only lineage knows."""
    walk = ColumnWalk(state, reader, when)
    names = dict.fromkeys(reader.field_names(state, dataset))
    names.update(dict.fromkeys(walk.links(dataset)))
    names.update(dict.fromkeys((yield from walk.reading(dataset))))
    return [(dataset, name) for name in names]


def _spread(
    graph: ColumnGraph,
    starts: list[Column],
    depth: int,
    steps: Callable[[Column], Iterable[ColumnEdge]],
    far_end: Callable[[ColumnEdge], Column],
    prepare: Callable[[Node], Slices[None, Links]] | None = None,
) -> Slices[ColumnGraph, bool]:
    """Follows edges from the starts; True when it came to every end before the depth did."""
    nodes, edges = graph.nodes, graph.edges
    reached = set(starts)
    prepared: set[Node] = set()
    frontier = starts
    count = 0
    for distance in range(1, depth + 1):
        fresh: list[Column] = []
        for column in frontier:
            count += 1
            if count % _COLUMNS_PER_SLICE == 0:
                yield graph
            if prepare is not None and column[0] not in prepared:
                prepared.add(column[0])
                for _ in prepare(column[0]):
                    yield graph
            for edge in steps(column):
                other = far_end(edge)
                if other == column:  # what a job makes of what it wrote before
                    continue
                edges.append(edge)
                if other not in reached:
                    reached.add(other)
                    fresh.append(other)
                    nodes.setdefault(other, distance)
        if not fresh:
            return True
        frontier = fresh
    return not frontier


def each_once(how: tuple[Transformation, ...]) -> tuple[Transformation, ...]:
    return how if len(how) < 2 else tuple(dict.fromkeys(how))


def _sources(edges: list[ColumnEdge]) -> Feeding:
    sources: Feeding = {}
    for edge in edges:
        sources.setdefault(edge.src[0], set()).add(edge.src[1])
    return sources


class ColumnWalk:
    """Steps from column to column. Links are made once for a dataset, whatever the number of
    columns that are needed, and for the present cached until the dataset changes. Of most
    datasets the same is reported at any time, and then what is cached serves the past as well."""

    def __init__(self, state: State, reader: Reader, when: When | None) -> None:
        self._state, self._reader = state, reader
        self._when = when or Always()
        self._now = None if isinstance(self._when, Always) else ColumnWalk(state, reader, None)
        self._links: dict[Node, tuple[int, Links]] = reader.links if self._now is None else {}
        self._feeding: dict[Node, tuple[int, Feeding]] = reader.feeding if self._now is None else {}
        self._read: dict[Node, Links] = {}

    @property
    def is_present(self) -> bool:
        return self._now is None

    def into(self, column: Column) -> Iterable[ColumnEdge]:
        return self.links(column[0]).get(column[1], ())

    def out_of(self, column: Column) -> Iterable[ColumnEdge]:
        return self.read(column[0]).get(column[1], ())

    def links(self, dataset: Node) -> Links:
        revision = self._state.nodes[dataset].revision
        known = self._links.get(dataset)
        if known is None or known[0] != revision:
            if self._now is not None and self.is_as_now(dataset):
                links = self._now.links(dataset)
            else:
                links = self._make_links(dataset)
            known = self._links[dataset] = (revision, links)
        return known[1]

    def feeding(self, dataset: Node, names: set[str]) -> Feeding:
        """All that feeds these columns of a dataset."""
        links = self.links(dataset)
        if not names >= links.keys():
            return _sources([edge for name in names for edge in links.get(name, ())])
        revision = self._state.nodes[dataset].revision
        known = self._feeding.get(dataset)
        if known is None or known[0] != revision:
            known = (revision, _sources([edge for edges in links.values() for edge in edges]))
            self._feeding[dataset] = known
        return known[1]

    def is_as_now(self, dataset: Node) -> bool:
        """Whether the same is reported of the dataset's columns at that time as at present."""
        if self._now is None:
            return True
        sets, gone = list(self.sets(dataset)), self._state.gone
        if gone and any(source in gone for _, reported in sets for source in reported.sources):
            return False
        return sets == list(self._now.sets(dataset))

    def _make_links(self, dataset: Node) -> Links:
        state, canonical = self._state, self._state.aliases.canonical
        # One column may feed another in several ways, such as copied and filtered by.
        by_name: dict[str, dict[Column, ColumnEdge]] = {}
        for edge, reported in self.sets(dataset):
            columns = self._reader.columns(state, reported, edge.dst)
            names = list(columns.fields)
            if columns.whole:
                names += [n for n in self._reader.field_names(state, dataset) if n not in columns.fields]
            for name in names:
                inputs = by_name.setdefault(name, {})
                for source in columns.fields.get(name, ()) + columns.whole:
                    if state.gone and self._when.deleted(state, source.dataset) >= stamp_time(reported.last):
                        continue
                    column = canonical(source.dataset), source.field
                    other = inputs.get(column)
                    if other is None:
                        inputs[column] = ColumnEdge(
                            column, (dataset, name), each_once(source.transformations), (edge.src,)
                        )
                    else:
                        inputs[column] = other.and_also(source.transformations, edge.src)
        return {name: list(inputs.values()) for name, inputs in by_name.items()}

    def sets(self, dataset: Node) -> Iterator[tuple[Edge, ColumnSet]]:
        """What counts on the columns of a dataset at that time."""
        for member in self._state.aliases.members(dataset):
            for edge in self._state.nodes[member].into:
                if edge.columns is not None and self._when.alive(self._state, edge):
                    reported = column_set(self._state, edge, self._when)
                    if reported is not None:
                        yield edge, reported

    def read(self, dataset: Node) -> Links:
        return finish(self.reading(dataset))

    def reading(self, dataset: Node) -> Slices[None, Links]:
        """All that the columns of a dataset feed, by column."""
        known = self._read.get(dataset)
        if known is None:
            known = {}
            for count, target in enumerate(self._targets(dataset), 1):
                for edges in self.links(target).values():
                    for edge in edges:
                        if edge.src[0] == dataset:
                            known.setdefault(edge.src[1], []).append(edge)
                if count % _DATASETS_PER_SLICE == 0:
                    yield
            self._read[dataset] = known
        return known

    def _targets(self, dataset: Node) -> dict[Node, None]:
        """Datasets that may have columns from this one: one edge or one job away."""
        state, canonical = self._state, self._state.aliases.canonical
        datasets: dict[Node, None] = {}
        for member in state.aliases.members(dataset):
            for edge in state.nodes[member].out:
                end = state.nodes[edge.dst]
                behind = [e.dst for e in end.out] if isinstance(end, Job) else [edge.dst]
                datasets.update((canonical(n), None) for n in behind if not isinstance(state.nodes[n], Job))
        return datasets
