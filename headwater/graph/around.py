"""What lies around each job and dataset, as far as the walk down needs to know it.

It is cached between questions. Most changes of a job or dataset are another run of the same: the
revision moves, and all around is as before. Then the same object is kept, so that whoever has
walked here knows at once that the way is still the same.
"""

from sys import intern

import msgspec

from headwater.graph.columns import ColumnWalk, Reader
from headwater.graph.flow import Flow
from headwater.graph.when import Always, When
from headwater.ids import Node
from headwater.model.entities import JOB_LINEAGE, ColumnSet, Dataset, Edge, Job
from headwater.model.state import State
from headwater.openlineage.event import stamp_time
from headwater.openlineage.facets import Transformation

Names = frozenset[str]
NOTHING: Names = frozenset()


class Uses(msgspec.Struct, frozen=True, gc=False, eq=False):
    """What the columns of one dataset use of another, as one job reported it."""

    used: Names  # columns of the other
    direct: Names  # columns that copy or compute values of any of them
    touched: Names  # those and the ones that are filtered, joined, grouped or sorted by them
    # Column of the other, column, column of the other, column, …: for questions about some columns.
    directly: tuple[str, ...]
    indirectly: tuple[str, ...]

    def direct_by(self, names: Names) -> Names:
        return self.direct if names is self.used or names >= self.used else _behind(names, self.directly)

    def touched_by(self, names: Names) -> Names:
        if names is self.used or names >= self.used:
            return self.touched
        return _behind(names, self.directly) | _behind(names, self.indirectly)


def _behind(names: Names, pairs: tuple[str, ...]) -> Names:
    return frozenset([column for other, column in zip(pairs[::2], pairs[1::2], strict=True) if other in names])


class AroundDataset(msgspec.Struct, frozen=True, gc=False, eq=False):
    readers: list[Node]  # jobs
    fed: list[Node]  # datasets that it feeds, where nobody named the job
    uses: dict[tuple[Node, Node], Uses]  # of other datasets, by who reported it and which
    reported: object  # what all this was made from


class AroundJob:
    __slots__ = ("_targets", "flow", "outputs")

    def __init__(self, state: State, flow: Flow) -> None:
        self.flow = flow
        canonical = state.aliases.canonical
        self.outputs = [canonical(edge.dst) for edge in flow.outputs]
        self._targets: dict[Node, list[Node]] = {}

    def targets(self, source: Node) -> list[Node]:
        """What an input reaches."""
        targets_of = self._targets.get(source)
        if targets_of is None:
            reached = zip(self.flow.outputs, self.outputs, strict=True)
            targets_of = self._targets[source] = [to for edge, to in reached if self.flow.reaches(source, edge.dst)]
        return targets_of

    def is_like(self, other: "AroundJob") -> bool:
        return self.outputs == other.outputs and self.flow.is_like(other.flow)


Surroundings = tuple[int, AroundDataset | AroundJob]
"""The revision that it belongs to, and what lies around. As long as one has the same object, nothing
around the job or dataset has changed."""

_Sets = list[tuple[Edge, ColumnSet]]


class Around:
    # Half a kilobyte to two each; the impact of 10,000 jobs and datasets needs some 15,000.
    MOST = 20_000

    def __init__(self, state: State, reader: Reader, when: When | None = None, now: "Around | None" = None) -> None:
        """`now`: what is known of the present, much of which holds at other times too."""
        self._state, self._reader, self._when, self._now = state, reader, when or Always(), now
        self._canonical = state.aliases.canonical
        self._columns = ColumnWalk(state, reader, when)
        self._jobs: dict[Node, tuple[int, AroundJob]] = {}
        self._datasets: dict[Node, tuple[int, AroundDataset]] = {}
        self._uses_by_facet: dict[object, dict[Node, Uses]] = {}
        self._names: dict[Names, Names] = {}

    def make_room(self) -> None:
        if len(self._jobs) + len(self._datasets) + len(self._uses_by_facet) > self.MOST:
            self._jobs.clear()
            self._datasets.clear()
            self._uses_by_facet.clear()
            self._names.clear()

    def of(self, node: Node) -> Surroundings:
        return self.job(node) if isinstance(self._state.nodes[node], Job) else self.dataset(node)

    def job(self, node: Node) -> tuple[int, AroundJob]:
        job = self._state.nodes[node]
        known = self._jobs.get(node)
        if known is None or known[0] != job.revision:
            assert isinstance(job, Job)
            around = AroundJob(self._state, Flow(self._state, job, self._when))
            if known is not None and around.is_like(known[1]):
                around = known[1]
            known = self._jobs[node] = (job.revision, around)
        return known

    def dataset(self, node: Node) -> tuple[int, AroundDataset]:
        revision = self._state.nodes[node].revision
        known = self._datasets.get(node)
        if known is None or known[0] != revision:
            around = self._around_dataset(node, None if known is None else known[1])
            known = self._datasets[node] = (revision, around)
        return known

    def prefetch(self, datasets: list[Node]) -> None:
        """Reads at once what many datasets will need; others are passed over."""
        nodes, known = self._state.nodes, self._datasets
        now = known if self._now is None else self._now._datasets
        fresh = {n for n in datasets if n not in known and n not in now and isinstance(nodes[n], Dataset)}
        if fresh:
            sets = [(reported, edge.dst) for node in fresh for edge, reported in self._columns.sets(node)]
            self._reader.prefetch_columns(sets)

    def _around_dataset(self, node: Node, before: AroundDataset | None) -> AroundDataset:
        state, canonical, alive = self._state, self._canonical, self._when.alive
        readers: list[Node] = []
        fed: list[Node] = []
        for member in state.aliases.members(node):
            for edge in state.nodes[member].out:
                if alive(state, edge):
                    target = canonical(edge.dst)
                    if isinstance(state.nodes[target], Dataset):
                        if target != node:
                            fed.append(target)
                    else:
                        readers.append(target)
        sets = list(self._columns.sets(node))
        reported = self._reported(node, sets)
        if before is not None and before.reported == reported and not state.gone:
            if before.readers == readers and before.fed == fed:
                return before
            uses = before.uses
        else:
            now = self._now.dataset(node)[1] if self._now is not None and sets and not state.gone else None
            uses = now.uses if now is not None and now.reported == reported else self._uses(node, sets)
        return AroundDataset(readers, fed, uses, reported)

    def _reported(self, node: Node, sets: _Sets) -> object:
        """The same means the same uses, where nothing was ever deleted."""
        canonical = self._canonical
        if not sets:
            return canonical(node)
        reported = [(canonical(e.src), e.dst, s.kind, s.content, *map(canonical, s.sources)) for e, s in sets]
        return canonical(node), self._reader.schema_content(self._state, node), reported

    def _uses(self, dataset: Node, sets: _Sets) -> dict[tuple[Node, Node], Uses]:
        state, canonical = self._state, self._canonical
        by_source: dict[tuple[Node, Node], list[Uses]] = {}
        for edge, reported in sets:
            producer = canonical(edge.src)
            for source, uses in self._uses_reported(dataset, reported, edge.dst).items():
                if not state.gone or self._when.deleted(state, source) < stamp_time(reported.last):
                    by_source.setdefault((producer, canonical(source)), []).append(uses)
        return {key: some[0] if len(some) == 1 else self._together(some) for key, some in by_source.items()}

    def _uses_reported(self, dataset: Node, reported: ColumnSet, target: Node) -> dict[Node, Uses]:
        """What one facet says, by the dataset that is used. Many datasets may have the same facet."""
        schema = self._reader.schema_content(self._state, dataset)
        key = (reported.kind, reported.content, schema, target if reported.kind == JOB_LINEAGE else None)
        known = self._uses_by_facet.get(key)
        if known is None:
            columns = self._reader.columns(self._state, reported, target)
            whole = self._reader.field_names(self._state, dataset) if columns.whole else ()
            pairs: dict[Node, tuple[list[str], list[str]]] = {}
            for name in dict.fromkeys((*columns.fields, *whole)):
                name = intern(name)
                for source in columns.fields.get(name, ()) + columns.whole:
                    some = pairs.get(source.dataset)
                    if some is None:
                        some = pairs[source.dataset] = ([], [])
                    some[0 if is_direct(source.transformations) else 1].extend((intern(source.field), name))
            known = self._uses_by_facet[key] = {source: self._made(*some) for source, some in pairs.items()}
        return known

    def _together(self, some: list[Uses]) -> Uses:
        directly = [name for uses in some for name in uses.directly]
        return self._made(directly, [name for uses in some for name in uses.indirectly])

    def _made(self, directly: list[str], indirectly: list[str]) -> Uses:
        return Uses(
            used=self._shared(frozenset(directly[::2] + indirectly[::2])),
            direct=self._shared(frozenset(directly[1::2])),
            touched=self._shared(frozenset(directly[1::2] + indirectly[1::2])),
            directly=tuple(directly),
            indirectly=tuple(indirectly),
        )

    def _shared(self, names: Names) -> Names:
        """Many datasets have the same columns, and one set of them is enough."""
        return self._names.setdefault(names, names)


def is_direct(transformations: tuple[Transformation, ...]) -> bool:
    """Whoever names a column without a word on how it is used gets its values."""
    if not transformations or transformations[0].type == "DIRECT":
        return True
    return any(t.type.upper() == "DIRECT" for t in transformations)
