"""What feeds what. The explicit `lineage` facet beats `columnLineage`, both beat inputs × outputs.

All three give edges (those of inputs and outputs: `datasets.py`); the facets also report which
input reaches which output, and `graph/flow.py` goes by the strongest of them.
"""

from collections.abc import Iterable

from headwater.ids import DELETED, ContentId
from headwater.interpret.known_facets import KnownFacets
from headwater.model.changes import AnyChange, ColumnsReported, EdgeSeen, LineageDeclared, Name, Ref
from headwater.model.entities import COLUMNS, JOB_LINEAGE, LINEAGE
from headwater.openlineage import facets as f
from headwater.openlineage import naming
from headwater.openlineage.event import DatasetMention, Event


def interpret(event: Event, known: KnownFacets) -> list[AnyChange]:
    changes: list[AnyChange] = []
    if event.job is None:
        assert event.dataset is not None
        return _lineage_of_dataset(event, event.dataset, None, known)
    for mention in event.inputs:
        if LINEAGE in mention.facets:  # what feeds an input is not this job's work
            changes += _dataset_lineage(event, mention, None, known)
    for mention in event.outputs:
        changes += _lineage_of_dataset(event, mention, event.job, known)
    if LINEAGE in event.job_facets:
        changes += _job_lineage(event, event.job, known)
    return changes


def _lineage_of_dataset(event: Event, mention: DatasetMention, job: Name | None, known: KnownFacets) -> list[AnyChange]:
    changes: list[AnyChange] = []
    if COLUMNS in mention.facets:
        changes += _column_lineage(event, mention, job, known)
    if LINEAGE in mention.facets:
        changes += _dataset_lineage(event, mention, job, known)
    return changes


def _column_lineage(event: Event, mention: DatasetMention, job: Name | None, known: KnownFacets) -> list[AnyChange]:
    facet = mention.facets[COLUMNS]
    sources = known.column_sources.get(facet.content_id)
    if sources is None:
        if facet.value == DELETED:
            return _feeds(event, mention, job, COLUMNS, DELETED, ())
        lineage = f.read(f.ColumnLineage, facet.content)
        if lineage is None:
            return []
        sources = known.column_sources.put(facet.content_id, _column_sources(lineage))
    return _feeds(event, mention, job, COLUMNS, facet.content_id, sources)


def _column_sources(lineage: f.ColumnLineage) -> tuple[Ref, ...]:
    """The datasets that column lineage names, once each."""
    fields = [i for out in (lineage.fields or {}).values() for i in out.inputFields]
    names = {(i.namespace, i.name) for i in (*fields, *(lineage.dataset or ())) if i.name}
    return tuple(sorted(("dataset", *naming.canonical(*n)) for n in names))


def _dataset_lineage(event: Event, mention: DatasetMention, job: Name | None, known: KnownFacets) -> list[AnyChange]:
    facet = mention.facets[LINEAGE]
    lineage = known.read(f.DatasetLineage, mention.facets, LINEAGE)
    if lineage is None and facet.value != DELETED:
        return []
    sources = _explicit_sources(lineage.inputs, lineage.fields, event.job) if lineage else ()
    return _feeds(event, mention, job, LINEAGE, facet.value, sources)


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
    changes: list[AnyChange] = [ColumnsReported(job, target[1:], kind, event.stamp, content, sources)]
    listed = {(m.namespace, m.name) for m in event.inputs} if job is not None else set()
    changes += _edges([s for s in sources if s[1:] not in listed or s[0] == "job"], target, job, event)
    return changes


def _edges(sources: Iterable[Ref], target: Ref, job: Name | None, event: Event) -> list[AnyChange]:
    changes: list[AnyChange] = []
    for source in sources:
        through = job is not None and source[0] == "dataset" and target[0] == "dataset"
        end: Ref = ("job", *job) if through and job is not None else target
        if source != end:
            changes.append(EdgeSeen(source, end, event.time))
    return changes


def _job_lineage(event: Event, job: Name, known: KnownFacets) -> list[AnyChange]:
    facet = event.job_facets[LINEAGE]
    lineage = known.read(f.JobLineage, event.job_facets, LINEAGE)
    if lineage is None:
        if facet.value == DELETED:
            return [LineageDeclared(job, event.stamp, DELETED, ())]
        return []
    own: Ref = ("job", *job)
    changes: list[AnyChange] = []
    targets: list[tuple[Ref, tuple[Ref, ...]]] = []
    for entry in lineage.entries or ():
        target = _entity(entry.type, entry.namespace, entry.name, job)
        if target is None:
            continue
        sources = _explicit_sources(entry.inputs, entry.fields, job)
        targets.append((target, sources))
        changes += _edges(sources, target, job, event)
        # Whatever does not come from other jobs alone is this job's own work.
        if target[0] == "dataset" and (not sources or any(s[0] == "dataset" or s == own for s in sources)):
            changes.append(EdgeSeen(own, target, event.time))
            if entry.fields:
                changes.append(ColumnsReported(job, target[1:], JOB_LINEAGE, event.stamp, facet.content_id, sources))
    changes.append(LineageDeclared(job, event.stamp, facet.content_id, tuple(targets)))
    return changes


def _explicit_sources(
    inputs: list[f.LineageInput] | None,
    fields: dict[str, f.LineageFieldEntry] | None,
    job: Name | None,
) -> tuple[Ref, ...]:
    every = [*(inputs or ()), *(i for entry in (fields or {}).values() for i in entry.inputs)]
    refs = (_entity(i.type, i.namespace, i.name, job) for i in every)
    return tuple(sorted({ref for ref in refs if ref is not None}))


def _entity(kind: str, namespace: str | None, name: str | None, job: Name | None) -> Ref | None:
    """A named dataset or job; a job without a name is the event's own."""
    if kind.upper() == "JOB":
        if name:
            return ("job", namespace or "", name)
        return ("job", *job) if job is not None else None
    return ("dataset", *naming.canonical(namespace or "", name)) if name else None
