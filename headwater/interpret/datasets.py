"""What an event says of datasets themselves: facets, versions, names, life and death."""

from headwater.caches import TwoGenerationCache
from headwater.ids import DELETED, ContentId
from headwater.interpret.reading import contents, read
from headwater.model.changes import (
    AliasesReported,
    AnyChange,
    DatasetMentioned,
    LifecycleReported,
    SourceSeen,
)
from headwater.openlineage import facets as f
from headwater.openlineage import naming
from headwater.openlineage.event import DatasetMention, Event
from headwater.openlineage.skeleton import Facet

# A reader often knows only the columns that it reads, in its own types. What writers and
# dataset events say of the schema counts first, so readers' words get a register apart, and
# so do schemas without a column, which some writers send for want of a better one.
SCHEMA, SCHEMA_OF_READERS, SCHEMA_EMPTY = SCHEMAS = "schema", "schema@reader", "schema@empty"

# Facets that tell of one version, not of the dataset: they change with every run.
_OF_VERSION = "version"


def interpret(event: Event) -> list[AnyChange]:
    said: list[AnyChange] = []
    if event.dataset is not None:
        said += _mentioned(event, event.dataset, output=True)
    for mention in event.inputs:
        said += _mentioned(event, mention, output=False)
    for mention in event.outputs:
        said += _mentioned(event, mention, output=True)
    said += _sources(event)
    return said


def _sources(event: Event) -> list[AnyChange]:
    """Where datasets are stored; usually all of an event's datasets name the same place."""
    told: dict[ContentId, DatasetMention] = {}
    for mention in (*event.inputs, *event.outputs, *((event.dataset,) if event.dataset else ())):
        facet = mention.facets.get("dataSource")
        if facet is not None:
            told[facet.content] = mention
    sources = (read(f.DataSource, mention.facets, "dataSource") for mention in told.values())
    return [SourceSeen(s.name, s.uri or "", event.stamp) for s in sources if s is not None and s.name]


def _mentioned(event: Event, mention: DatasetMention, *, output: bool) -> list[AnyChange]:
    name = (mention.namespace, mention.name)
    held = contents(mention.facets)
    schema = held.get(SCHEMA, DELETED)
    version = read(f.Version, mention.facets, _OF_VERSION)
    held.pop(_OF_VERSION, None)
    if SCHEMA in held:
        register = _schema_register(mention, output=output)
        held[register] = held.pop(SCHEMA)
        if register == SCHEMA_EMPTY:
            schema = DELETED
    said: list[AnyChange] = [
        DatasetMentioned(
            name,
            output,
            event.job,
            event.run,
            event.stamp,
            held,
            (version.datasetVersion or "") if version else "",
            schema,
            _use_facets(mention),
        )
    ]
    if "symlinks" in mention.facets:
        said.append(_aliases(name, mention))
    if "lifecycleStateChange" in mention.facets:
        said += _lifecycle(event, name, mention)
    return said


def _schema_register(mention: DatasetMention, *, output: bool) -> str:
    facet = mention.facets[SCHEMA]
    if facet.told != DELETED and not _has_columns(facet):
        return SCHEMA_EMPTY
    return SCHEMA if output else SCHEMA_OF_READERS


def _has_columns(schema: Facet) -> bool:
    known = _with_columns.get(schema.content)
    if known is None:
        told = f.read(f.Schema, schema.body)
        known = _with_columns.put(schema.content, bool(told and told.fields))
    return known


# Every dataset has a schema of its own, so this one has room for many datasets.
_with_columns: TwoGenerationCache[ContentId, bool] = TwoGenerationCache(400_000)


def note_columns(schema: ContentId) -> None:
    """Somebody knows already that a schema has columns."""
    _with_columns.put(schema, True)


def _use_facets(mention: DatasetMention) -> dict[str, ContentId]:
    held = contents(mention.run_facets)
    if _OF_VERSION in mention.facets:
        held[_OF_VERSION] = mention.facets[_OF_VERSION].content
    return held


def _aliases(name: tuple[str, str], mention: DatasetMention) -> AliasesReported:
    facet = mention.facets["symlinks"]
    links = read(f.Symlinks, mention.facets, "symlinks")
    return AliasesReported(
        name,
        facet.told,
        tuple(
            naming.canonical(link.namespace, link.name)
            for link in (links.identifiers if links else None) or ()
            if link.name and not naming.is_session_local(link.name)
        ),
    )


def _lifecycle(event: Event, name: tuple[str, str], mention: DatasetMention) -> list[AnyChange]:
    facet = read(f.Lifecycle, mention.facets, "lifecycleStateChange")
    if facet is None or not facet.lifecycleStateChange:
        return []
    state = facet.lifecycleStateChange.upper()
    previous = None
    if state == "RENAME" and facet.previousIdentifier is not None and facet.previousIdentifier.name:
        old = facet.previousIdentifier
        previous = naming.canonical(old.namespace, old.name)
    return [LifecycleReported(name, event.stamp, state, previous if previous != name else None, event.job)]
