"""Facets that the state already holds: the log skips the lookup, the interpreter skips decoding.

Where few jobs run again and again, the caches have their facets anyway. Where there are many jobs, or
after a start, the state has them.
"""

from collections.abc import Container, Iterable

from headwater.ids import ContentId
from headwater.ingest.folding import Record
from headwater.interpret.datasets import SCHEMA, SCHEMA_OF_READERS
from headwater.interpret.known_facets import KnownFacets
from headwater.model.entities import COLUMNS, Dataset, Job, edge_key
from headwater.model.state import State
from headwater.openlineage.event import Event, Facets


def contents_in_state(
    state: State, records: Iterable[Record], in_log: Container[ContentId], known: KnownFacets
) -> set[ContentId]:
    """The present contents of the jobs and datasets that these events name: the log has them. Those with a facet
    that is not in `in_log` are enough. What the contents say is noted in `known`."""
    contents: set[ContentId] = set()
    for event in records:
        if not isinstance(event, Event) or event.job is None:
            continue
        job = state.find_job(*event.job)
        if job is None:
            continue
        if _any_missing(event.job_facets, in_log):
            contents.update(_contents(job))
        for mention in (*event.inputs, *event.outputs):
            if _any_missing(mention.facets, in_log):
                dataset = state.find_dataset(mention.namespace, mention.name)
                if dataset is not None:
                    contents.update(_contents(dataset))
                    _note_columns(state, job, dataset, mention.facets, known)
    return contents


def _any_missing(facets: Facets, in_log: Container[ContentId]) -> bool:
    # A comprehension takes a third of the time of a generator.
    return any([facet.content_id not in in_log for facet in facets.values()])  # noqa: C419


def _contents(entity: Job | Dataset) -> list[ContentId]:
    return [content for _, _, content in entity.facets.values()]


def _note_columns(state: State, job: Job, dataset: Dataset, facets: Facets, known: KnownFacets) -> None:
    for name in (SCHEMA, SCHEMA_OF_READERS):  # schemas without a column have another register
        register = dataset.facets.get(name)
        if register is not None:
            known.has_columns.put(register[2], True)
    if COLUMNS in facets:
        edge = state.edges.get(edge_key(job.node, dataset.node))
        for column_set in (edge.columns if edge is not None else None) or ():
            if column_set.kind == COLUMNS and column_set.content == facets[COLUMNS].content_id:
                sources = [state.nodes[node] for node in column_set.sources]
                refs = tuple([("dataset", source.namespace, source.name) for source in sources])
                known.column_sources.put(column_set.content, refs)
