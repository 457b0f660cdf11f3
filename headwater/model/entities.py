"""Jobs, datasets, edges and runs, as they stand in memory.

Everything that an event can change is either a smallest or largest time, or a register in
which the larger (stamp, content) wins. So the outcome does not depend on the order in which
events arrive, and the same event twice changes nothing.
"""

from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from headwater.ids import ContentId, Micros, Node, RunId, Stamp
from headwater.openlineage.event import EventType

Register = tuple[Stamp, Stamp, ContentId]
"""A facet's present value: first and last stamp at which it was reported, and the content."""

Registers = dict[str, Register]

_R = TypeVar("_R", bound=tuple[Any, ...])


def put(registers: Registers, name: str, stamp: Stamp, content: ContentId) -> Register | None:
    """Writes a facet into its register. Returns the value that lost, the old or the late one."""
    register = registers.get(name)
    if register is None:
        registers[name] = (stamp, stamp, content)
        return None
    first, last, now = register
    if now == content:
        if stamp > last:
            registers[name] = (first, stamp, content)
        elif stamp < first:
            registers[name] = (stamp, last, content)
        return None
    if (stamp, content) > (last, now):
        registers[name] = (stamp, stamp, content)
        return register
    return (stamp, stamp, content)


def later(one: _R | None, other: _R) -> _R:
    """Of two values with their times, the one that counts; None inside counts as smallest."""
    if one is None or other[0] > one[0]:
        return other
    return max(one, other, key=lambda value: tuple((part is not None, part) for part in value))


class ColumnSet(msgspec.Struct, gc=False):
    """Column lineage of one dataset, as one facet content reports it."""

    kind: str  # JOB_LINEAGE, LINEAGE or COLUMNS
    content: ContentId
    first: Stamp
    last: Stamp
    sources: tuple[Node, ...]  # the datasets and jobs that it names as inputs


JOB_LINEAGE, LINEAGE, COLUMNS = "lineage@job", "lineage", "columnLineage"
"""Facets that report what feeds a dataset, strongest first: the job's `lineage` facet, the
dataset's, and `columnLineage`."""

# An edge remembers this many different column sets; older ones stay in the tables. Only a
# producer that writes something new into the facet at every run ever has more.
MAX_COLUMN_SETS = 64


class Edge(msgspec.Struct, gc=False):
    """Data flows from `src` to `dst`: dataset → job, job → dataset, job → job, or dataset →
    dataset where no job was named. A dataset's edge to itself carries column lineage that
    was declared without a job."""

    src: Node
    dst: Node
    first: Micros
    last: Micros
    spans: list[Micros] | None = None
    columns: list[ColumnSet] | None = None

    @property
    def key(self) -> int:
        return edge_key(self.src, self.dst)


def edge_key(src: Node, dst: Node) -> int:
    return src << 32 | dst


class Lifecycle(msgspec.Struct, frozen=True, gc=False):
    stamp: Stamp
    state: str
    job: Node | None


class Dataset(msgspec.Struct, gc=False, weakref=False):
    node: Node
    namespace: str
    name: str
    first: Micros | None = None  # None: known only as another dataset's alias
    last: Micros = Micros(0)
    facets: Registers = msgspec.field(default_factory=dict)
    into: list[Edge] = msgspec.field(default_factory=list)
    out: list[Edge] = msgspec.field(default_factory=list)
    symlinks: tuple[Node, ...] = ()
    renamed: tuple[Stamp, Node] | None = None
    lifecycle: Lifecycle | None = None
    declared: Micros | None = None  # the last dataset event, which proves that it exists
    revision: int = 0  # grows with each change; not in the tables


class Declared(msgspec.Struct, gc=False):
    """A job's explicit `lineage` facet."""

    stamp: Stamp
    content: ContentId
    targets: dict[Node, tuple[Node, ...]]


class Job(msgspec.Struct, gc=False):
    node: Node
    namespace: str
    name: str
    first: Micros
    last: Micros
    facets: Registers = msgspec.field(default_factory=dict)
    into: list[Edge] = msgspec.field(default_factory=list)
    out: list[Edge] = msgspec.field(default_factory=list)
    parent: tuple[Stamp, Node] | None = None
    declared: Declared | None = None
    latest: "Run | None" = None
    runs: int = 0  # those with an event of their own
    named: int = 0  # others, known only from their children's events
    revision: int = 0


class Use(msgspec.Struct, gc=False):
    """A run's use of a dataset. `versions`: what the run called the dataset's version, and
    with which schema: (version or "", schema content or 0) → first and last time."""

    first: Micros
    last: Micros
    facets: Registers = msgspec.field(default_factory=dict)
    versions: dict[tuple[str, int], tuple[Micros, Micros]] = msgspec.field(default_factory=dict)

    def effective_versions(self) -> Iterator[tuple[str, ContentId, Micros, Micros]]:
        """The versions that count: named ones if there are any, else those with a schema.
        A START that knows less than the COMPLETE after it makes no version of its own."""
        best = max((bool(v), bool(s)) for v, s in self.versions)
        for (version, schema), (first, last) in self.versions.items():
            if (bool(version), bool(schema)) == best or (best[0] and version):
                yield version, ContentId(schema), first, last


class Run(msgspec.Struct, gc=False):
    row: int
    id: RunId
    job: Node
    first: Stamp | None = None  # None: only named by others, no event of its own yet
    last: Stamp = Stamp(0)
    started: Micros | None = None  # the earliest START
    active: bool = False  # START or RUNNING was reported
    ended: Stamp | None = None  # the latest terminal event
    parent: tuple[Stamp, RunId] | None = None
    root: tuple[Stamp, RunId] | None = None
    nominal: tuple[Stamp, Micros | None, Micros | None] | None = None
    facets: Registers = msgspec.field(default_factory=dict)
    uses: dict[int, Use] = msgspec.field(default_factory=dict)  # dataset << 1 | output

    @property
    def state(self) -> str:
        if self.ended is not None:
            return _ENDS[self.ended % 8]
        return "RUNNING" if self.active else "NEW"

    @property
    def started_at(self) -> Micros | None:
        if self.started is not None:
            return self.started
        return Micros(self.first // 8) if self.first is not None and self.state != "NEW" else None

    @property
    def ended_at(self) -> Micros | None:
        return Micros(self.ended // 8) if self.ended is not None else None

    @property
    def order(self) -> tuple[Micros, RunId]:
        """Where the run stands among the runs of its job; the largest is the latest."""
        started = self.started_at
        if started is None:
            started = Micros(self.first // 8) if self.first is not None else Micros(-1)
        return started, self.id


_ENDS: dict[int, str] = {EventType.COMPLETE: "COMPLETED", EventType.ABORT: "ABORTED", EventType.FAIL: "FAILED"}
INPUT, OUTPUT = 0, 1


def use_key(dataset: Node, direction: int) -> int:
    return dataset << 1 | direction
