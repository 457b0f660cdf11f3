"""What an event reports about datasets themselves: facets, versions, names, life and death."""

from headwater.ids import DELETED, ContentId
from headwater.interpret.known_facets import KnownFacets, values
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

# A reader often knows only the columns that it reads, in its own types. The schema of writers and
# dataset events counts first, so the one of readers gets a register apart, and so do schemas
# without a column, which some writers send for want of a better one.
SCHEMA, SCHEMA_OF_READERS, SCHEMA_EMPTY = SCHEMAS = "schema", "schema@reader", "schema@empty"

# This facet is about one version, not about the dataset: it changes with every run.
_OF_VERSION = "version"


def interpret(event: Event, known: KnownFacets) -> list[AnyChange]:
    changes: list[AnyChange] = []
    if event.dataset is not None:
        changes += _mentioned(event, event.dataset, known, output=True)
    for mention in event.inputs:
        changes += _mentioned(event, mention, known, output=False)
    for mention in event.outputs:
        changes += _mentioned(event, mention, known, output=True)
    changes += _sources(event, known)
    return changes


def _sources(event: Event, known: KnownFacets) -> list[AnyChange]:
    """Where datasets are stored; usually all of an event's datasets name the same place."""
    mentions: dict[ContentId, DatasetMention] = {}
    for mention in (*event.inputs, *event.outputs, *((event.dataset,) if event.dataset else ())):
        facet = mention.facets.get("dataSource")
        if facet is not None:
            mentions[facet.content_id] = mention
    sources = (known.read(f.DataSource, mention.facets, "dataSource") for mention in mentions.values())
    return [SourceSeen(s.name, s.uri or "", event.stamp) for s in sources if s is not None and s.name]


def _mentioned(event: Event, mention: DatasetMention, known: KnownFacets, *, output: bool) -> list[AnyChange]:
    name = (mention.namespace, mention.name)
    facets = values(mention.facets)
    schema = facets.get(SCHEMA, DELETED)
    version = known.read(f.Version, mention.facets, _OF_VERSION)
    facets.pop(_OF_VERSION, None)
    if SCHEMA in facets:
        register = _schema_register(mention, known, output=output)
        facets[register] = facets.pop(SCHEMA)
        if register == SCHEMA_EMPTY:
            schema = DELETED
    changes: list[AnyChange] = [
        DatasetMentioned(
            name,
            output,
            event.job,
            event.run,
            event.stamp,
            facets,
            (version.datasetVersion or "") if version else "",
            schema,
            _use_facets(mention),
        )
    ]
    if "symlinks" in mention.facets:
        changes.append(_aliases(name, mention, known))
    if "lifecycleStateChange" in mention.facets:
        changes += _lifecycle(event, name, mention, known)
    return changes


def _schema_register(mention: DatasetMention, known: KnownFacets, *, output: bool) -> str:
    facet = mention.facets[SCHEMA]
    if facet.value != DELETED and not _has_columns(facet, known):
        return SCHEMA_EMPTY
    return SCHEMA if output else SCHEMA_OF_READERS


def _has_columns(facet: Facet, known: KnownFacets) -> bool:
    has_columns = known.has_columns.get(facet.content_id)
    if has_columns is None:
        schema = f.read(f.Schema, facet.content)
        has_columns = known.has_columns.put(facet.content_id, bool(schema and schema.fields))
    return has_columns


def _use_facets(mention: DatasetMention) -> dict[str, ContentId]:
    facets = values(mention.run_facets)
    if _OF_VERSION in mention.facets:
        facets[_OF_VERSION] = mention.facets[_OF_VERSION].content_id
    return facets


def _aliases(name: tuple[str, str], mention: DatasetMention, known: KnownFacets) -> AliasesReported:
    facet = mention.facets["symlinks"]
    links = known.read(f.Symlinks, mention.facets, "symlinks")
    return AliasesReported(
        name,
        facet.value,
        tuple(
            naming.canonical(link.namespace, link.name)
            for link in (links.identifiers if links else None) or ()
            if link.name and not naming.is_session_local(link.name)
        ),
    )


def _lifecycle(event: Event, name: tuple[str, str], mention: DatasetMention, known: KnownFacets) -> list[AnyChange]:
    facet = known.read(f.Lifecycle, mention.facets, "lifecycleStateChange")
    if facet is None or not facet.lifecycleStateChange:
        return []
    state = facet.lifecycleStateChange.upper()
    previous = None
    if state == "RENAME" and facet.previousIdentifier is not None and facet.previousIdentifier.name:
        old = facet.previousIdentifier
        previous = naming.canonical(old.namespace, old.name)
    return [LifecycleReported(name, event.stamp, state, previous if previous != name else None, event.job)]
