"""The columns of datasets as JSON, and what feeds them, written beside the event loop.

In a list of datasets that is most of the work. For most datasets one facet reports all that feeds
their columns: they have one producer, and none of the datasets has another name. Then the facet
alone gives the JSON, and the event loop only checks the names in it. The others are left to
`graph.columns`.
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


class ColumnContents(NamedTuple):
    """Contents of facets that describe a dataset's columns."""

    schema: ContentId | None
    lineage: ContentId | None  # the facet `columnLineage`, if it is the only one of its kind


class ColumnJson(NamedTuple):
    fields: bytes | None = None
    lineage: bytes | None = None
    sources: tuple[tuple[str, str], ...] = ()
    """The datasets that feed it, by namespace and name; all of them must be known by just these."""


class DatasetPage(NamedTuple):
    newest: dict[Node, Version]
    versions: dict[bytes, Version]
    contents: ContentsById
    columns: list[ColumnJson]


def read_page(
    tables: Tables,
    log: Log,
    datasets: Sequence[Node],
    versions: Sequence[bytes],
    columns: Sequence[ColumnContents],
    contents: set[ContentId],
) -> DatasetPage:
    """The newest versions of datasets and some by their ids, contents, and the JSON of columns."""
    needed = {content for one in columns for content in one if content is not None}
    by_id = dict(log.contents(contents | needed))
    made = [column_json(one, by_id) for one in columns]
    return DatasetPage(tables.current_versions(datasets, None), tables.versions_by_id(versions), by_id, made)


def column_json(columns: ColumnContents, contents: Mapping[ContentId, bytes]) -> ColumnJson:
    schema = f.read(f.Schema, contents[columns.schema]) if columns.schema is not None else None
    listed = field_list(schema)
    fields = _encode(listed) if columns.schema is not None else None
    if columns.lineage is None:
        return ColumnJson(fields)
    return _with_lineage(fields, [field.name for field in listed], f.read(f.ColumnLineage, contents[columns.lineage]))


def _with_lineage(fields: bytes | None, names: list[str], facet: f.ColumnLineage | None) -> ColumnJson:
    if facet is None or facet.fields is None or facet.dataset:
        return ColumnJson(fields)
    lineage: list[shapes.FieldLineage] = []
    sources: dict[tuple[str, str], None] = {}
    for name in dict.fromkeys((*names, *facet.fields)):
        output = facet.fields.get(name)
        if output is None or not output.inputFields:
            continue
        columns = {(one.namespace, one.name, one.field) for one in output.inputFields}
        is_old = output.transformationType is not None or output.transformationDescription is not None
        if is_old or len(columns) < len(output.inputFields):
            return ColumnJson(fields)
        inputs = []
        for one in output.inputFields:
            sources[one.namespace, one.name] = None
            inputs.append(input_field(one.namespace, one.name, one.field, each_once(tuple(one.transformations or ()))))
        lineage.append(shapes.FieldLineage(name, inputs))
    return ColumnJson(fields, _encode(lineage or None), tuple(sources))


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


def transformation_type(transformation: f.Transformation | None) -> str | None:
    if transformation is None:
        return None
    return "MASKED" if transformation.masking else transformation.subtype or transformation.type


def field_list(schema: f.Schema | None) -> list[shapes.Field]:
    """Each column once, even where a schema lists one twice, with and without a type."""
    fields: dict[str, shapes.Field] = {}
    for field in (schema.fields if schema else None) or ():
        known = fields.get(field.name)
        if known is None or (known.type is None and field.type is not None):
            fields[field.name] = shapes.Field(field.name, field.type, _NO_TAGS, field.description)
    return list(fields.values())
