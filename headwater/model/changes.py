"""What one event reports, as a closed union of frozen values. `apply.py` applies them to the state."""

import msgspec

from headwater.ids import ContentId, Micros, RunId, Stamp
from headwater.openlineage.event import EventType

Name = tuple[str, str]
"""Namespace and name."""

Ref = tuple[str, str, str]
"""`job` or `dataset`, namespace, name: an end of an edge."""


class Change(msgspec.Struct, frozen=True, gc=False, tag=True):
    pass


class JobSeen(Change, frozen=True, gc=False, tag=True):
    job: Name
    stamp: Stamp
    facets: dict[str, ContentId]
    parent: Name | None


class RunSeen(Change, frozen=True, gc=False, tag=True):
    run: RunId
    job: Name
    kind: EventType
    stamp: Stamp
    facets: dict[str, ContentId]
    parent: RunId | None
    root: RunId | None
    nominal: tuple[Micros | None, Micros | None] | None


class RunNamed(Change, frozen=True, gc=False, tag=True):
    """Another run called this one its parent or root; no state follows from that."""

    run: RunId
    job: Name


class SourceSeen(Change, frozen=True, gc=False, tag=True):
    name: str
    uri: str
    stamp: Stamp


class EdgeSeen(Change, frozen=True, gc=False, tag=True):
    src: Ref
    dst: Ref
    at: Micros


class DatasetMentioned(Change, frozen=True, gc=False, tag=True):
    """An event names a dataset as an input or output of its job, or (job None) is about it. All
    that follows from this is one change, as most of what events report is of this kind."""

    dataset: Name
    output: bool
    job: Name | None
    run: RunId | None
    stamp: Stamp
    facets: dict[str, ContentId]
    version: str
    schema: ContentId
    run_facets: dict[str, ContentId]  # of this run's use of it


class ColumnsReported(Change, frozen=True, gc=False, tag=True):
    """What feeds the columns of a dataset, through a job or (job None) declared without one."""

    job: Name | None
    dataset: Name
    kind: str
    stamp: Stamp
    content: ContentId
    sources: tuple[Ref, ...]


class LineageDeclared(Change, frozen=True, gc=False, tag=True):
    """A job's explicit `lineage` facet: for each target, all that feeds it."""

    job: Name
    stamp: Stamp
    content: ContentId
    targets: tuple[tuple[Ref, tuple[Ref, ...]], ...]


class AliasesReported(Change, frozen=True, gc=False, tag=True):
    """The `symlinks` facet of an event; it counts while `content` is the value of the register."""

    dataset: Name
    content: ContentId
    aliases: tuple[Name, ...]


class LifecycleReported(Change, frozen=True, gc=False, tag=True):
    dataset: Name
    stamp: Stamp
    state: str
    previous: Name | None
    job: Name | None


AnyChange = (
    JobSeen
    | RunSeen
    | RunNamed
    | SourceSeen
    | EdgeSeen
    | DatasetMentioned
    | ColumnsReported
    | LineageDeclared
    | AliasesReported
    | LifecycleReported
)
