"""Facet contents, read from the log when someone asks and kept for a while."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from headwater.caches import LatestCache
from headwater.graph.columns import Columns, Feeding, FieldInput, Links
from headwater.ids import DELETED, ContentId, Node
from headwater.interpret.datasets import SCHEMAS
from headwater.model.entities import COLUMNS, JOB_LINEAGE, ColumnSet, Dataset, Registers
from headwater.model.state import State
from headwater.openlineage import facets as f
from headwater.openlineage import naming
from headwater.store.protocol import Log

_F = TypeVar("_F", bound=f.TypedFacet)

# Kept decoded facets, by number and by the bytes of their text. A 4,000-node graph touches a
# few thousand; decoded they take some three times their text.
_KEPT, _KEPT_BYTES = 50_000, 16 << 20

# Links between columns are kept of as many datasets. Twenty columns with two inputs each take 10 KB.
_LINKED = 6_000


class Contents:
    """Implements `graph.columns.Reader`."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._kept: OrderedDict[tuple[ContentId, Any], tuple[Any, int]] = OrderedDict()
        self._kept_bytes = 0
        # Texts that were read for many at once, until others are.
        self.at_hand: Mapping[ContentId, bytes] = {}
        self._schema_read: tuple[ContentId | None, f.Schema | None] = (None, None)
        self.links: dict[Node, tuple[int, Links]] = LatestCache(_LINKED)
        self.feeding: dict[Node, tuple[int, Feeding]] = LatestCache(_LINKED)
        self._ahead: dict[ContentId, bytes] = {}

    def body(self, content: ContentId) -> bytes:
        ahead = self._ahead.pop(content, None)
        return self._log.contents([content])[content] if ahead is None else ahead

    def bodies(self, ids: Iterable[ContentId]) -> dict[ContentId, bytes]:
        return dict(self._log.contents([i for i in ids if i != DELETED]))

    def read_ahead(self, wanted: Iterable[tuple[ContentId, object]]) -> None:
        """Reads at once what will be asked for one by one: contents, and as what."""
        self._ahead = self.bodies({key[0] for key in wanted if key not in self._kept})

    def _keep(self, content: ContentId, kind: Any, make: Callable[[bytes], Any]) -> Any:
        key = (content, kind)
        known = self._kept.get(key)
        if known is not None:
            return known[0]
        body = self.at_hand.get(content)
        if body is None:
            body = self.body(content)
        made = make(body)
        self._kept[key] = made, len(body)
        self._kept_bytes += len(body)
        # The oldest go, one or two at a time: all at once would stop everything for a while.
        while len(self._kept) > _KEPT or self._kept_bytes > _KEPT_BYTES:
            self._kept_bytes -= self._kept.popitem(last=False)[1][1]
        return made

    def facet(self, kind: type[_F], registers: Registers, name: str) -> _F | None:
        """The present value of a facet, typed."""
        held = registers.get(name)
        if held is None or held[2] == DELETED:
            return None
        found: _F | None = self._keep(held[2], kind, lambda body: f.read(kind, body))
        return found

    def made(self, content: ContentId, how: Callable[[f.Schema | None], Any]) -> Any:
        """Something made from a schema, kept with it."""
        return self._keep(content, how, lambda body: how(self._schema(content, body)))

    def _schema(self, content: ContentId, body: bytes) -> f.Schema | None:
        """Several things are made of a schema, mostly one after the other."""
        if self._schema_read[0] != content:
            self._schema_read = (content, f.read(f.Schema, body))
        return self._schema_read[1]

    # Schemas

    @staticmethod
    def schema_content(state: State, dataset: Node) -> ContentId | None:
        """The schema that counts: of writers before readers, then the latest."""
        for name in SCHEMAS:
            held = [
                (register[1], register[2])
                for member in state.aliases.members(dataset)
                if (register := state.dataset_of(member).facets.get(name)) is not None and register[2] != DELETED
            ]
            if held:
                return max(held)[1]
        return None

    def field_names(self, state: State, dataset: Node) -> list[str]:
        content = self.schema_content(state, dataset)
        if content is None:
            return []
        names: list[str] = self.made(content, _names)
        return names

    # Column lineage

    def columns(self, state: State, told: ColumnSet, target: Node) -> Columns:
        dataset = state.dataset_of(target)
        read = {COLUMNS: _columns, JOB_LINEAGE: _job_lineage}.get(told.kind, _dataset_lineage)
        kind = self._kind(told, target)
        found: Columns = self._keep(told.content, kind, lambda body: read(state, dataset, body))
        return found

    @staticmethod
    def _kind(told: ColumnSet, target: Node) -> object:
        """A job's facet tells of several targets, and names resolve to nodes of this state."""
        return told.kind, target if told.kind == JOB_LINEAGE else None

    def read_columns_ahead(self, wanted: Iterable[tuple[ColumnSet, Node]]) -> None:
        self.read_ahead((told.content, self._kind(told, target)) for told, target in wanted)


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
    told = f.read(f.ColumnLineage, body)
    if told is None:
        return Columns({})
    nodes: dict[tuple[str, str], Node | None] = {}  # of hundreds of inputs most are of the same few datasets
    fields = {
        name: _field_inputs(state, nodes, out.inputFields, _old_transformation(out))
        for name, out in (told.fields or {}).items()
    }
    return Columns(fields, _field_inputs(state, nodes, told.dataset or [], ()))


def _old_transformation(out: f.OutputField) -> tuple[f.Transformation, ...]:
    """What clients before 1.1 said once for the whole output column."""
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
    found = []
    for one in inputs:
        name = one.namespace, one.name
        if name not in nodes:
            nodes[name] = _node(state, *name)
        node = nodes[name]
        if node is not None:
            found.append(FieldInput(node, one.field, tuple(one.transformations) if one.transformations else otherwise))
    return tuple(found)


def _dataset_lineage(state: State, _: Dataset, body: bytes) -> Columns:
    told = f.read(f.DatasetLineage, body)
    return Columns({}) if told is None else _explicit(state, told.inputs, told.fields)


def _job_lineage(state: State, target: Dataset, body: bytes) -> Columns:
    told = f.read(f.JobLineage, body)
    for entry in (told.entries if told else None) or ():
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
