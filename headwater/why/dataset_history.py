"""What was reported of datasets over time: how schemas changed, and what was dropped or renamed."""

from collections.abc import Iterable, Mapping

import msgspec

from headwater.ids import DELETED, ContentId, Micros, Node, dataset_node_id
from headwater.model.entities import Register
from headwater.openlineage import facets as f
from headwater.openlineage import naming
from headwater.openlineage.event import stamp_time
from headwater.shapes.diff import FieldRef, FieldRetyped
from headwater.why.upstream import DatasetAt, NameAt

_SCHEMAS, _LIFE = ("schema", "schema@reader"), "lifecycleStateChange"

# A producer that reports a new schema with every run has more; the latest are enough.
_MOST_SCHEMAS = 50

Past = Mapping[Node, Iterable[tuple[str, Register]]]
"""Former values of facets, by dataset."""

FacetContents = Mapping[ContentId, bytes]


class FacetValue(msgspec.Struct, frozen=True, gc=False):
    """One value of a facet, and from when to when it was reported."""

    first: Micros
    last: Micros
    content: ContentId


class SchemaStep(msgspec.Struct):
    at: Micros
    added: list[FieldRef]
    removed: list[FieldRef]
    retyped: list[FieldRetyped]

    @property
    def broken(self) -> set[str]:
        """Columns that whoever reads them misses, or finds in another type."""
        return {gone.name for gone in self.removed} | {other.name for other in self.retyped}


class Life(msgspec.Struct, frozen=True):
    at: Micros
    dropped: bool
    previous: str | None = None  # node id of the name before
    noticed: bool = False  # whoever reads it has done so by its new name


def _values(name: NameAt, past: Past, facet: str) -> list[FacetValue]:
    """All values that a facet had under a name. Reported again after another one, it is a second
    value with the same content."""
    registers = [register for name_of_facet, register in past.get(name.node, ()) if name_of_facet == facet]
    if facet in name.facets:
        registers.append(name.facets[facet])
    return [FacetValue(stamp_time(r[0]), stamp_time(r[1]), r[2]) for r in registers if r[2] != DELETED]


def _in_effect(values: Iterable[FacetValue], at: Micros) -> FacetValue | None:
    known = [value for value in values if value.first <= at]
    return max(known, key=lambda v: (min(v.last, at), v.first, v.content), default=None)


# Schemas


def _schemas(name: NameAt, past: Past, at: Micros) -> list[FacetValue]:
    """Each schema once, in the order in which they came up. Two writers that report different
    ones in turn change nothing after the first time."""
    for register in _SCHEMAS:
        merged: dict[ContentId, FacetValue] = {}
        for value in _values(name, past, register):
            if value.first <= at:
                known = merged.get(value.content, value)
                merged[value.content] = FacetValue(
                    min(known.first, value.first), max(known.last, value.last), value.content
                )
        if merged:
            return sorted(merged.values(), key=lambda v: (v.first, v.content))[-_MOST_SCHEMAS:]
    return []


def contents_of_interest(dataset: DatasetAt, past: Past, since: Micros, at: Micros) -> Iterable[ContentId]:
    """What has to be read to know how a dataset changed."""
    for name in dataset.names:
        schemas = _schemas(name, past, at)
        if any(value.first > since for value in schemas[1:]):
            yield from (value.content for value in schemas)
        life = _in_effect(_values(name, past, _LIFE), at)
        if life is not None and min(life.last, at) > since:
            yield life.content


def schema_steps(
    dataset: DatasetAt, past: Past, contents: FacetContents, since: Micros, at: Micros
) -> list[SchemaStep]:
    """How the schema changed after `since`, as far as it was not taken back by the moment."""
    steps: list[SchemaStep] = []
    for name in dataset.names:
        schemas = _schemas(name, past, at)
        now = _in_effect(schemas, at)
        for value in schemas[1:]:
            before = _in_effect(schemas, Micros(value.first - 1))
            if value.first > since and before is not None and now is not None:
                step = _step(value.first, *(_fields(contents, v.content) for v in (before, value, now)))
                if step.added or step.removed or step.retyped:
                    steps.append(step)
    return steps


Fields = dict[str, str | None]


def _fields(contents: FacetContents, content: ContentId) -> Fields:
    schema = f.read(f.Schema, contents.get(content))
    return dict(_flat("", schema.fields or ())) if schema is not None else {}


def _flat(above: str, fields: Iterable[f.SchemaField]) -> Iterable[tuple[str, str | None]]:
    for field in fields:
        yield above + field.name, field.type
        yield from _flat(f"{above}{field.name}.", field.fields or ())


def _step(at: Micros, before: Fields, after: Fields, now: Fields) -> SchemaStep:
    return SchemaStep(
        at,
        [FieldRef(name, after[name]) for name in after if name not in before and name in now],
        [FieldRef(name, before[name]) for name in before if name not in after and name not in now],
        [
            FieldRetyped(name, before[name], after[name])
            for name in after
            if name in before and _differ(before[name], after[name]) and _differ(before[name], now.get(name))
        ],
    )


def _differ(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one.casefold() != other.casefold()


# Dropped and renamed


def life_of(
    dataset: DatasetAt, readers: Iterable[Node], past: Past, contents: FacetContents, since: Micros, at: Micros
) -> Life | None:
    """Whether a dataset was dropped or renamed after `since` and still is."""
    changes: list[Life] = []
    for name in dataset.names:
        reported = _in_effect(_values(name, past, _LIFE), at)
        if reported is None:
            continue
        when = reported.last if reported.last <= at else reported.first
        facet = f.read(f.Lifecycle, contents.get(reported.content))
        state = (facet.lifecycleStateChange or "").upper() if facet is not None else ""
        if when <= since or facet is None:
            continue
        if state == "DROP" and not _written_after(dataset, when, name.dropped_by):
            changes.append(Life(when, True))
        old = facet.previousIdentifier
        if state == "RENAME" and old is not None and old.name:
            noticed = all(name.read.get(reader, when) > when for reader in readers)
            changes.append(Life(when, False, dataset_node_id(*naming.canonical(old.namespace, old.name)), noticed))
    # The old name of a renamed dataset may be reported as dropped: it lives on under the new one.
    renamed = [life for life in changes if not life.dropped]
    return max(renamed or changes, key=lambda life: life.at, default=None)


def _written_after(dataset: DatasetAt, at: Micros, but_by: Node | None) -> bool:
    return any(last > at for job, last in dataset.written.items() if job is None or job != but_by)
