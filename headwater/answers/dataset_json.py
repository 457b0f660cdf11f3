"""The columns of datasets as JSON, and what feeds them, written beside the event loop.

In a list of datasets that is most of the work. What feeds a column is as one facet tells it, for
most datasets: they have one producer, and nobody goes by another name. Then the facet alone gives
the text, with the names that it counts on; the event loop has a look at these names. Where more is
to be said, `graph.columns` knows how.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import msgspec

from headwater.graph.columns import each_once
from headwater.ids import ContentId, Node
from headwater.model.versions import Version
from headwater.openlineage import facets as f
from headwater.shapes import marquez as shapes
from headwater.store.pages import ContentsById
from headwater.store.protocol import Log, Tables

_encode = msgspec.json.Encoder().encode
_NO_TAGS: list[str] = []


class Told(NamedTuple):
    """Contents that tell of a dataset's columns."""

    schema: ContentId | None
    columns: ContentId | None  # the facet `columnLineage`, if it is the only one of its kind


class Written(NamedTuple):
    fields: bytes | None = None
    lineage: bytes | None = None
    sources: tuple[tuple[str, str], ...] = ()
    """The datasets that feed it, by namespace and name; all of them must be known by just these."""


class Page(NamedTuple):
    newest: dict[Node, Version]
    versions: dict[bytes, Version]
    bodies: ContentsById
    written: list[Written]


def read_page(
    tables: Tables,
    log: Log,
    datasets: Sequence[Node],
    versions: Sequence[bytes],
    told: Sequence[Told],
    contents: set[ContentId],
) -> Page:
    """The newest versions of datasets and some by their ids, contents, and the texts of what is told."""
    wanted = {content for one in told for content in one if content is not None}
    bodies = dict(log.contents(contents | wanted))
    written = [write(one, bodies) for one in told]
    return Page(tables.current_versions(datasets, None), tables.versions_by_id(versions), bodies, written)


def write(told: Told, bodies: Mapping[ContentId, bytes]) -> Written:
    schema = f.read(f.Schema, bodies[told.schema]) if told.schema is not None else None
    listed = field_list(schema)
    fields = _encode(listed) if told.schema is not None else None
    if told.columns is None:
        return Written(fields)
    return _with_lineage(fields, [field.name for field in listed], f.read(f.ColumnLineage, bodies[told.columns]))


def _with_lineage(fields: bytes | None, names: list[str], told: f.ColumnLineage | None) -> Written:
    if told is None or told.fields is None or told.dataset:
        return Written(fields)
    found: list[shapes.FieldLineage] = []
    sources: dict[tuple[str, str], None] = {}
    for name in dict.fromkeys((*names, *told.fields)):
        output = told.fields.get(name)
        if output is None or not output.inputFields:
            continue
        columns = {(one.namespace, one.name, one.field) for one in output.inputFields}
        is_old = output.transformationType is not None or output.transformationDescription is not None
        if is_old or len(columns) < len(output.inputFields):
            return Written(fields)
        inputs = []
        for one in output.inputFields:
            sources[one.namespace, one.name] = None
            inputs.append(input_field(one.namespace, one.name, one.field, each_once(tuple(one.transformations or ()))))
        found.append(shapes.FieldLineage(name, inputs))
    return Written(fields, _encode(found or None), tuple(sources))


def input_field(
    namespace: str, dataset: str, field: str, transformations: tuple[f.Transformation, ...]
) -> shapes.InputFieldRef:
    first = transformations[0] if transformations else None
    return shapes.InputFieldRef(
        namespace,
        dataset,
        field,
        transformation_type(first),
        first.description if first else None,
        cast(list[dict[str, Any]], transformations),  # their JSON is the same
    )


def transformation_type(told: f.Transformation | None) -> str | None:
    if told is None:
        return None
    return "MASKED" if told.masking else told.subtype or told.type


def field_list(schema: f.Schema | None) -> list[shapes.Field]:
    """Each column once, even where a schema lists one twice, with and without a type."""
    found: dict[str, shapes.Field] = {}
    for field in (schema.fields if schema else None) or ():
        held = found.get(field.name)
        if held is None or (held.type is None and field.type is not None):
            found[field.name] = shapes.Field(field.name, field.type, _NO_TAGS, field.description)
    return list(found.values())
