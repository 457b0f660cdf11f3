"""What feeds what. The explicit `lineage` facet beats `columnLineage`, both beat inputs × outputs.

All three give edges (those of inputs and outputs: `datasets.py`); the facets also say which
input reaches which output, and `graph/flow.py` goes by the strongest of them.
"""

from collections.abc import Iterable

from headwater.caches import TwoGenerationCache
from headwater.ids import DELETED, ContentId
from headwater.interpret.reading import read
from headwater.model.changes import AnyChange, ColumnsReported, EdgeSeen, LineageDeclared, Name, Ref
from headwater.model.entities import COLUMNS, JOB_LINEAGE, LINEAGE
from headwater.openlineage import facets as f
from headwater.openlineage import naming
from headwater.openlineage.event import DatasetMention, Event


def interpret(event: Event) -> list[AnyChange]:
    said: list[AnyChange] = []
    if event.job is None:
        assert event.dataset is not None
        return _told_of_dataset(event, event.dataset, None)
    for mention in event.inputs:
        if LINEAGE in mention.facets:  # what feeds an input is no deed of this job
            said += _dataset_lineage(event, mention, None)
    for mention in event.outputs:
        said += _told_of_dataset(event, mention, event.job)
    if LINEAGE in event.job_facets:
        said += _job_lineage(event, event.job)
    return said


def _told_of_dataset(event: Event, mention: DatasetMention, job: Name | None) -> list[AnyChange]:
    said: list[AnyChange] = []
    if COLUMNS in mention.facets:
        said += _column_lineage(event, mention, job)
    if LINEAGE in mention.facets:
        said += _dataset_lineage(event, mention, job)
    return said


def _column_lineage(event: Event, mention: DatasetMention, job: Name | None) -> list[AnyChange]:
    facet = mention.facets[COLUMNS]
    sources = _column_sources.get(facet.content)
    if sources is None:
        if facet.told == DELETED:
            return _feeds(event, mention, job, COLUMNS, DELETED, ())
        told = f.read(f.ColumnLineage, facet.body)
        if told is None:
            return []
        sources = _column_sources.put(facet.content, _named_by(told))
    return _feeds(event, mention, job, COLUMNS, facet.content, sources)


# Every job has column lineage of its own, so this one has room for many jobs.
_column_sources: TwoGenerationCache[ContentId, tuple[Ref, ...]] = TwoGenerationCache(200_000)


def note_sources(columns: ContentId, sources: tuple[Ref, ...]) -> None:
    """Somebody knows already which datasets a facet of column lineage names."""
    _column_sources.put(columns, sources)


def _named_by(told: f.ColumnLineage) -> tuple[Ref, ...]:
    """The datasets that column lineage names, once each."""
    fields = [i for out in (told.fields or {}).values() for i in out.inputFields]
    names = {(i.namespace, i.name) for i in (*fields, *(told.dataset or ())) if i.name}
    return tuple(sorted(("dataset", *naming.canonical(*n)) for n in names))


def _dataset_lineage(event: Event, mention: DatasetMention, job: Name | None) -> list[AnyChange]:
    facet = mention.facets[LINEAGE]
    told = read(f.DatasetLineage, mention.facets, LINEAGE)
    if told is None and facet.told != DELETED:
        return []
    sources = _explicit_sources(told.inputs, told.fields, event.job) if told else ()
    return _feeds(event, mention, job, LINEAGE, facet.told, sources)


def _feeds(
    event: Event,
    mention: DatasetMention,
    job: Name | None,
    kind: str,
    content: ContentId,
    sources: tuple[Ref, ...],
) -> list[AnyChange]:
    """Sources → dataset, through the job where one is known."""
    target: Ref = ("dataset", mention.namespace, mention.name)
    said: list[AnyChange] = [ColumnsReported(job, target[1:], kind, event.stamp, content, sources)]
    listed = {(m.namespace, m.name) for m in event.inputs} if job is not None else set()
    said += _edges([s for s in sources if s[1:] not in listed or s[0] == "job"], target, job, event)
    return said


def _edges(sources: Iterable[Ref], target: Ref, job: Name | None, event: Event) -> list[AnyChange]:
    said: list[AnyChange] = []
    for source in sources:
        through = job is not None and source[0] == "dataset" and target[0] == "dataset"
        end: Ref = ("job", *job) if through and job is not None else target
        if source != end:
            said.append(EdgeSeen(source, end, event.time))
    return said


def _job_lineage(event: Event, job: Name) -> list[AnyChange]:
    facet = event.job_facets[LINEAGE]
    told = read(f.JobLineage, event.job_facets, LINEAGE)
    if told is None:
        if facet.told == DELETED:
            return [LineageDeclared(job, event.stamp, DELETED, ())]
        return []
    own: Ref = ("job", *job)
    said: list[AnyChange] = []
    targets: list[tuple[Ref, tuple[Ref, ...]]] = []
    for entry in told.entries or ():
        target = _entity(entry.type, entry.namespace, entry.name, job)
        if target is None:
            continue
        sources = _explicit_sources(entry.inputs, entry.fields, job)
        targets.append((target, sources))
        said += _edges(sources, target, job, event)
        # Whatever is not said to come from other jobs alone is this job's own work.
        if target[0] == "dataset" and (not sources or any(s[0] == "dataset" or s == own for s in sources)):
            said.append(EdgeSeen(own, target, event.time))
            if entry.fields:
                said.append(ColumnsReported(job, target[1:], JOB_LINEAGE, event.stamp, facet.content, sources))
    said.append(LineageDeclared(job, event.stamp, facet.content, tuple(targets)))
    return said


def _explicit_sources(
    inputs: list[f.LineageInput] | None,
    fields: dict[str, f.LineageFieldEntry] | None,
    job: Name | None,
) -> tuple[Ref, ...]:
    every = [*(inputs or ()), *(i for entry in (fields or {}).values() for i in entry.inputs)]
    found = (_entity(i.type, i.namespace, i.name, job) for i in every)
    return tuple(sorted({ref for ref in found if ref is not None}))


def _entity(kind: str, namespace: str | None, name: str | None, job: Name | None) -> Ref | None:
    """A named dataset or job; a job without a name is the event's own."""
    if kind.upper() == "JOB":
        if name:
            return ("job", namespace or "", name)
        return ("job", *job) if job is not None else None
    return ("dataset", *naming.canonical(namespace or "", name)) if name else None
