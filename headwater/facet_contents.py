"""Facet contents, read from the log when a question needs them, and cached."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from headwater.caches import LatestCache
from headwater.graph.columns import Columns, Feeding, FieldInput, Links
from headwater.ids import DELETED, ContentId, Node, Stamp
from headwater.interpret.datasets import SCHEMAS
from headwater.model.entities import COLUMNS, JOB_LINEAGE, ColumnSet, Dataset, Registers
from headwater.model.state import State
from headwater.openlineage import facets as f
from headwater.openlineage import naming
from headwater.store.protocol import Log

_F = TypeVar("_F", bound=f.TypedFacet)

# Decoded facets in the cache, by number and by the bytes of their JSON. A 4,000-node graph needs a
# few thousand; decoded they take some three times their JSON.
_CACHED_FACETS, _CACHED_BYTES = 50_000, 16 << 20

# Links between columns are cached of as many datasets. Twenty columns with two inputs each take 10 KB.
_CACHED_LINKS = 6_000


class Contents:
    """Implements `graph.columns.Reader`."""

    def __init__(self, log: Log) -> None:
        self._log = log
        # By content and what was made of it, with the bytes that it was made of.
        self._cache: OrderedDict[tuple[ContentId, object], tuple[Any, int]] = OrderedDict()
        self._cached_bytes = 0
        self._prefetched: Mapping[ContentId, bytes] = {}
        self._at_first_miss: Callable[[], Iterable[ContentId]] | None = None
        self._last_schema: tuple[ContentId | None, f.Schema | None] = (None, None)
        self.links: dict[Node, tuple[int, Links]] = LatestCache(_CACHED_LINKS)
        self.feeding: dict[Node, tuple[int, Feeding]] = LatestCache(_CACHED_LINKS)

    def content(self, content: ContentId) -> bytes:
        known = self._prefetched.get(content)
        if known is None and self._at_first_miss is not None:
            ids, self._at_first_miss = self._at_first_miss, None
            self.prefetched(self.read(set(ids())))
            known = self._prefetched.get(content)
        return self._log.contents([content])[content] if known is None else known

    def read(self, ids: Iterable[ContentId]) -> dict[ContentId, bytes]:
        return dict(self._log.contents([i for i in ids if i != DELETED]))

    def prefetch(self, keys: Iterable[tuple[ContentId, object]]) -> None:
        """Reads at once what will be needed one by one: contents, and what will be made of them."""
        self.prefetched(self.read({key[0] for key in keys if key not in self._cache}))

    def prefetch_at_first_miss(self, ids: Callable[[], Iterable[ContentId]]) -> None:
        """The same, as soon as one content turns out to be missing: mostly all are cached, and nobody looks."""
        self._at_first_miss = ids

    def prefetched(self, contents: Mapping[ContentId, bytes]) -> None:
        """Contents that somebody has read for many questions at once. They are used until the next ones come."""
        self._prefetched = contents

    def _make(self, content: ContentId, kind: object, make: Callable[[bytes], Any]) -> Any:
        """Makes something of a content and caches it."""
        body = self.content(content)
        made = make(body)
        self._cache[content, kind] = made, len(body)
        self._cached_bytes += len(body)
        # The oldest go, one or two at a time: all at once would stop everything for a while.
        while len(self._cache) > _CACHED_FACETS or self._cached_bytes > _CACHED_BYTES:
            self._cached_bytes -= self._cache.popitem(last=False)[1][1]
        return made

    def facet(self, kind: type[_F], registers: Registers, name: str) -> _F | None:
        """The present value of a facet, typed."""
        register = registers.get(name)
        if register is None or register[2] == DELETED:
            return None
        cached = self._cache.get((register[2], kind))
        facet: _F | None = (
            cached[0] if cached is not None else self._make(register[2], kind, lambda body: f.read(kind, body))
        )
        return facet

    def from_schema(self, content: ContentId, make: Callable[[f.Schema | None], Any]) -> Any:
        """Something made of a schema, cached with it."""
        cached = self._cache.get((content, make))
        if cached is not None:
            return cached[0]
        return self._make(content, make, lambda body: make(self._schema(content, body)))

    def _schema(self, content: ContentId, body: bytes) -> f.Schema | None:
        """Several things are made of a schema, mostly one after the other."""
        if self._last_schema[0] != content:
            self._last_schema = (content, f.read(f.Schema, body))
        return self._last_schema[1]

    # Schemas

    @staticmethod
    def schema_content(state: State, dataset: Node) -> ContentId | None:
        """The schema that counts: of writers before readers, then the latest."""
        members = state.aliases.members(dataset)
        for name in SCHEMAS:
            latest: tuple[Stamp, ContentId] | None = None
            for member in members:
                register = state.nodes[member].facets.get(name)
                if register is not None and register[2] != DELETED:
                    candidate = (register[1], register[2])
                    latest = candidate if latest is None else max(latest, candidate)
            if latest is not None:
                return latest[1]
        return None

    def field_names(self, state: State, dataset: Node) -> list[str]:
        content = self.schema_content(state, dataset)
        if content is None:
            return []
        names: list[str] = self.from_schema(content, _names)
        return names

    # Column lineage

    def columns(self, state: State, reported: ColumnSet, target: Node) -> Columns:
        dataset = state.dataset_of(target)
        kind = self._kind(reported, target)
        cached = self._cache.get((reported.content, kind))
        read = {COLUMNS: _columns, JOB_LINEAGE: _job_lineage}.get(reported.kind, _dataset_lineage)
        columns: Columns = (
            cached[0]
            if cached is not None
            else self._make(reported.content, kind, lambda body: read(state, dataset, body))
        )
        return columns

    @staticmethod
    def _kind(reported: ColumnSet, target: Node) -> object:
        """A job's facet describes several targets, and names resolve to nodes of this state."""
        return reported.kind, target if reported.kind == JOB_LINEAGE else None

    def prefetch_columns(self, columns: Iterable[tuple[ColumnSet, Node]]) -> None:
        self.prefetch((reported.content, self._kind(reported, target)) for reported, target in columns)


def _names(schema: f.Schema | None) -> list[str]:
    return list(dict.fromkeys(field.name for field in (schema.fields if schema else None) or ()))


def _node(state: State, namespace: str, name: str) -> Node | None:
    namespace, name = naming.canonical(namespace, name)
    return state.datasets.get(namespace, {}).get(name)


_OLD_TYPES = {
    "IDENTITY": f.Transformation("DIRECT", "IDENTITY"),
    "MASKED": f.Transformation("DIRECT", "TRANSFORMATION", masking=True),
}


def _columns(state: State, _: Dataset, body: bytes) -> Columns:
    facet = f.read(f.ColumnLineage, body)
    if facet is None:
        return Columns({})
    nodes: dict[tuple[str, str], Node | None] = {}  # of hundreds of inputs most are of the same few datasets
    fields = {
        name: _field_inputs(state, nodes, out.inputFields, _old_transformation(out))
        for name, out in (facet.fields or {}).items()
    }
    return Columns(fields, _field_inputs(state, nodes, facet.dataset or [], ()))


def _old_transformation(out: f.OutputField) -> tuple[f.Transformation, ...]:
    """Clients before 1.1 report one for the whole output column."""
    if out.transformationType is None and out.transformationDescription is None:
        return ()
    known = _OLD_TYPES.get((out.transformationType or "").upper(), f.Transformation("DIRECT"))
    return (
        f.Transformation(
            known.type, known.subtype or out.transformationType, out.transformationDescription, known.masking
        ),
    )


def _field_inputs(
    state: State,
    nodes: dict[tuple[str, str], Node | None],
    inputs: list[f.InputField],
    otherwise: tuple[f.Transformation, ...],
) -> tuple[FieldInput, ...]:
    fields = []
    for one in inputs:
        name = one.namespace, one.name
        if name not in nodes:
            nodes[name] = _node(state, *name)
        node = nodes[name]
        if node is not None:
            fields.append(FieldInput(node, one.field, tuple(one.transformations) if one.transformations else otherwise))
    return tuple(fields)


def _dataset_lineage(state: State, _: Dataset, body: bytes) -> Columns:
    facet = f.read(f.DatasetLineage, body)
    return Columns({}) if facet is None else _explicit(state, facet.inputs, facet.fields)


def _job_lineage(state: State, target: Dataset, body: bytes) -> Columns:
    facet = f.read(f.JobLineage, body)
    for entry in (facet.entries if facet else None) or ():
        named = naming.canonical(entry.namespace or "", entry.name or "")
        if entry.type.upper() == "DATASET" and named == (target.namespace, target.name):
            return _explicit(state, entry.inputs, entry.fields)
    return Columns({})


def _explicit(
    state: State, inputs: list[f.LineageInput] | None, fields: dict[str, f.LineageFieldEntry] | None
) -> Columns:
    return Columns(
        {name: _lineage_inputs(state, entry.inputs) for name, entry in (fields or {}).items()},
        _lineage_inputs(state, inputs or []),
    )


def _lineage_inputs(state: State, inputs: list[f.LineageInput]) -> tuple[FieldInput, ...]:
    return tuple(
        FieldInput(node, i.field, tuple(i.transformations or ()))
        for i in inputs
        if i.field and i.name and i.type.upper() == "DATASET"
        if (node := _node(state, i.namespace or "", i.name)) is not None
    )
