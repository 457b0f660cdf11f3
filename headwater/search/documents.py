"""What jobs and datasets can be found by, and the terms of the index."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import chain

import msgspec

from headwater.facet_contents import Contents
from headwater.ids import DELETED, ContentId, Micros, Node, dataset_node_id, job_node_id
from headwater.ingest.service import Service
from headwater.model.edited import Tags
from headwater.model.entities import Dataset
from headwater.model.shown import facets_of, is_shown, last_seen
from headwater.model.tagging import tags_by_field
from headwater.openlineage import facets as f
from headwater.search.words import folded, namespace_term, tails, words

JOB, DATASET = "JOB", "DATASET"

_FACETS = ("documentation", "tags", "ownership", "sql")
_SCHEMA = "schema"
_HOUR = 3600 * 1_000_000
_HOUR_BITS = 20  # until the year 2089
_HOUR_MASK = (1 << _HOUR_BITS) - 1

# Beginnings of names and of their words are terms of their own, up to this length: however many
# names begin alike, finding them is one look-up.
LONGEST_START = 32

# Of all other words only such short beginnings are: longer ones are few enough to look through.
LONGEST_SHORT_START = 3

# Words of longer texts would only make everything a hit.
_LONGEST_TEXT = 20_000


class Document(msgspec.Struct, gc=False):
    """What a job or dataset can be found by."""

    node: Node
    kind: str
    namespace: str
    name: str
    updated: Micros
    aliases: list[str]
    tags: list[str] = []
    owners: list[str] = []
    columns: list[str] = []
    description: str | None = None
    column_descriptions: list[str] = []
    sql: str | None = None

    @property
    def node_id(self) -> str:
        named = job_node_id if self.kind == JOB else dataset_node_id
        return named(self.namespace, self.name)


def hour(at: Micros) -> int:
    return max(0, at // _HOUR)


def differs_only_in_time(fingerprint: int, other: int) -> bool:
    """Whether two documents differ in their time at the most."""
    return fingerprint >> _HOUR_BITS == other >> _HOUR_BITS


class Documents:
    def __init__(self, service: Service, contents: Contents) -> None:
        self._service, self._state, self._contents = service, service.state, contents

    def fingerprint(self, node: Node) -> int:
        """Moves whenever the document would; 0 for what is not to be found.

        It goes by ids of contents alone, so asking for it costs a few microseconds. The time is
        in it by the hour: a job that runs every minute is not written anew every minute. It stands
        in the last bits, so that one can tell when only the time moved."""
        state = self._state
        if not is_shown(state, node):
            return 0
        parts = [f"{name}={content}" for name, content in self._contents_of(node).items()]
        parts += [f"{field}\0{tag}\0{on}" for (field, tag), (_, on) in sorted(self._edited_tags(node).items())]
        for member in state.aliases.members(node):
            parts += [state.nodes[member].namespace, state.nodes[member].name]
        text = "\0".join(parts) + ("" if isinstance(state.nodes[node], Dataset) else "\0job")
        digest = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> _HOUR_BITS or 1
        return digest << _HOUR_BITS | hour(last_seen(state, node)) & _HOUR_MASK

    async def read(self, nodes: Sequence[Node]) -> list[Document]:
        """The documents of the nodes that are shown; all contents are read at once."""
        by_node = {node: self._contents_of(node) for node in nodes if is_shown(self._state, node)}
        contents = {content for facets in by_node.values() for content in facets.values()}
        bodies = await self._service.run_query(self._service.log.contents, contents) if contents else {}
        return [
            self._document(node, {name: bodies[content] for name, content in facets.items()})
            for node, facets in by_node.items()
        ]

    def _contents_of(self, node: Node) -> dict[str, ContentId]:
        state = self._state
        registers = facets_of(state, node)
        contents = {
            name: register[2]
            for name in _FACETS
            if (register := registers.get(name)) is not None and register[2] != DELETED
        }
        if isinstance(state.nodes[node], Dataset):
            schema = self._contents.schema_content(state, node)
            if schema is not None:
                contents[_SCHEMA] = schema
        return contents

    def _edited_tags(self, node: Node) -> Tags:
        """Tags that people put on or took off."""
        edited, nodes = self._state.edited, self._state.nodes
        if not edited.tagged:
            return {}
        kind = "dataset" if isinstance(nodes[node], Dataset) else "job"
        members = self._state.aliases.members(node) if kind == "dataset" else (node,)
        return edited.tags_on([(kind, nodes[m].namespace, nodes[m].name) for m in members])

    def _document(self, node: Node, bodies: dict[str, bytes]) -> Document:
        state = self._state
        entity = state.nodes[node]
        about = f.read(f.Documentation, bodies.get("documentation"))
        tags = f.read(f.Tags, bodies.get("tags"))
        owners = f.read(f.Ownership, bodies.get("ownership"))
        sql = f.read(f.Sql, bodies.get("sql"))
        schema = f.read(f.Schema, bodies.get(_SCHEMA))
        tagged = tags_by_field(tags, self._edited_tags(node))
        columns: dict[str, str] = {}
        _add_columns(columns, "", (schema.fields if schema else None) or ())
        return Document(
            node=node,
            kind=DATASET if isinstance(entity, Dataset) else JOB,
            namespace=entity.namespace,
            name=entity.name,
            updated=last_seen(state, node),
            aliases=[state.nodes[member].name for member in state.aliases.members(node)[1:]],
            tags=list(dict.fromkeys(chain.from_iterable(tagged.values()))),
            owners=[owner.name for owner in (owners.owners if owners else None) or ()],
            columns=list(columns),
            description=about.description if about else None,
            column_descriptions=[text for text in columns.values() if text],
            sql=sql.query if sql else None,
        )


def _add_columns(columns: dict[str, str], above: str, fields: Iterable[f.SchemaField]) -> None:
    for field in fields:
        name = above + field.name
        columns[name] = columns.get(name) or field.description or ""
        _add_columns(columns, name + ".", field.fields or ())


def terms(document: Document) -> dict[str, Iterable[str]]:
    """The terms of each field of the index."""
    names = [document.name, *document.aliases]
    wholes = {folded(name) for name in names}
    ends = {tail for name in names for tail in tails(name)} - wholes
    name_words = words(names)
    descriptions = [text[:_LONGEST_TEXT] for text in (document.description or "", *document.column_descriptions)]
    others = {
        "marks": words((*document.tags, *document.owners)),
        "columns": words(document.columns),
        "namespace": words((document.namespace,)),
        "description": words(descriptions),
        "sql": words(((document.sql or "")[:_LONGEST_TEXT],)),
    }
    return {
        "kind": (document.kind,),
        "in_namespace": (namespace_term(document.namespace),),
        "exact": wholes | {folded(f"{document.namespace}/{document.name}"), folded(document.node_id)},
        "tail": ends,
        "start": _starts(wholes, LONGEST_START),
        "tail_start": _starts(ends, LONGEST_START),
        "word": name_words,
        "word_start": _starts(name_words, LONGEST_START),
        **others,
        "short": _starts(set().union(*others.values()), LONGEST_SHORT_START),
    }


def _starts(texts: Iterable[str], longest: int) -> set[str]:
    return {text[:length] for text in texts for length in range(1, min(len(text), longest) + 1)}
