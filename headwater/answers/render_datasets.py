"""Datasets of the state → shapes."""

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

import msgspec
from msgspec import Raw

from headwater.answers.dataset_json import field_list, input_field
from headwater.answers.facet_json import shown_facets
from headwater.answers.run_json import moment
from headwater.facet_contents import Contents
from headwater.graph.columns import ColumnEdge, ColumnWalk
from headwater.ids import ContentId, Micros, Node
from headwater.model.changes import Ref
from headwater.model.entities import Dataset, Registers
from headwater.model.shown import facets_of, is_dropped
from headwater.model.state import State
from headwater.model.tagging import WHOLE, tags_by_field
from headwater.openlineage import facets as f
from headwater.shapes import marquez as shapes

_encode = msgspec.json.Encoder().encode
_NO_FIELDS: list[shapes.Field] = []
_NO_TAGS: dict[str, list[str]] = {}
_STREAM_TYPES = {"TOPIC", "STREAM"}

# Facets that the data of a dataset is made from, beside its schema.
FACETS_READ = ("dataSource", "documentation", f.DECLARED_DATASET, "datasetType", "tags")

D = TypeVar("D", bound=shapes.DatasetData)


class DatasetRenderer:
    def __init__(self, state: State, contents: Contents) -> None:
        self._state, self._contents = state, contents

    def dataset(
        self,
        node: Node,
        current_version: str | None,
        contents: Mapping[ContentId, bytes] | None = None,
        fields: bytes | None = None,
        lineage: bytes | None = None,
    ) -> shapes.Dataset:
        """`fields` and `lineage`: the JSON of its columns without tags and of what feeds them, where that is made."""
        answer = self.data(node, shapes.Dataset, fields)
        answer.currentVersion = current_version
        made = None if lineage is None else cast(list[shapes.FieldLineage], Raw(lineage))
        answer.columnLineage = self._field_lineage(node) if made is None else made
        answer.facets = shown_facets(self._contents, facets_of(self._state, node), contents)
        return answer

    def data(self, node: Node, shape: type[D], fields: bytes | None = None) -> D:
        """A graph has thousands of them, so this does nothing twice, and little for a dataset with a single name."""
        state, contents = self._state, self._contents
        dataset = state.dataset_of(node)
        entities, facets = [dataset], dataset.facets
        aliases: list[shapes.Name] = []
        if node in state.aliases.grouped:
            entities, facets = self._names(node), facets_of(state, node)
            aliases = [shapes.Name(other.namespace, other.name) for other in entities[1:]]
        tags = self._tags(entities, facets)
        source = contents.facet(f.DataSource, facets, "dataSource")
        about = contents.facet(f.Documentation, facets, "documentation")
        declared = contents.facet(f.DeclaredDataset, facets, f.DECLARED_DATASET)
        lifecycle = _lifecycle_state(entities)
        first, last, written = _times(entities)
        return shape(
            id=shapes.Name(dataset.namespace, dataset.name),
            type=self._type(dataset, facets),
            name=dataset.name,
            physicalName=(declared.physicalName if declared is not None else None) or dataset.name,
            createdAt=moment(first),
            updatedAt=moment(last),
            namespace=dataset.namespace,
            sourceName=(source.name if source is not None else None) or dataset.namespace or "default",
            fields=self._fields(node, tags, fields),
            tags=tags.get(WHOLE, []),
            lastModifiedAt=moment(written),
            lastLifecycleState=lifecycle,
            description=about.description if about is not None else None,
            deleted=lifecycle is not None and is_dropped(state, node),
            aliases=aliases,
        )

    def _names(self, node: Node) -> list[Dataset]:
        return [self._state.dataset_of(member) for member in self._state.aliases.members(node)]

    def _type(self, dataset: Dataset, facets: Registers) -> str:
        if dataset.namespace.startswith("kafka://"):
            return "STREAM"
        reported = self._contents.facet(f.DatasetType, facets, "datasetType")
        is_stream = reported is not None and (reported.datasetType or "").upper() in _STREAM_TYPES
        return "STREAM" if is_stream else "DB_TABLE"

    def _tags(self, entities: Sequence[Dataset], facets: Registers) -> dict[str, list[str]]:
        edited = self._state.edited
        if not edited.tagged and "tags" not in facets:
            return _NO_TAGS
        reported = self._contents.facet(f.Tags, facets, "tags")
        names: list[Ref] = [("dataset", one.namespace, one.name) for one in entities]
        return tags_by_field(reported, edited.tags_on(names))

    # Columns

    def _fields(self, node: Node, tags: dict[str, list[str]], plain: bytes | None) -> list[shapes.Field]:
        if plain is not None and not tags.keys() - {WHOLE}:
            return cast(list[shapes.Field], Raw(plain))
        content = self._contents.schema_content(self._state, node)
        return _NO_FIELDS if content is None else self._tagged_fields(content, tags)

    def _tagged_fields(self, schema: ContentId, tags: dict[str, list[str]]) -> list[shapes.Field]:
        if not tags or not tags.keys() - {WHOLE}:
            plain: list[shapes.Field] = self._contents.from_schema(schema, _plain_fields)
            return plain
        fields: list[shapes.Field] = self._contents.from_schema(schema, field_list)
        return [shapes.Field(x.name, x.type, tags.get(x.name, []), x.description) for x in fields]

    def fields_of(self, node: Node, schema: ContentId) -> list[shapes.Field]:
        """The columns of an earlier version, with the tags of today."""
        return self._tagged_fields(schema, self._tags(self._names(node), facets_of(self._state, node)))

    def field_types(self, node: Node) -> dict[str, str | None]:
        content = self._contents.schema_content(self._state, node)
        return {} if content is None else self.types_of(content)

    def types_of(self, schema: ContentId) -> dict[str, str | None]:
        types: dict[str, str | None] = self._contents.from_schema(schema, _types)
        return types

    def _field_lineage(self, node: Node) -> list[shapes.FieldLineage] | None:
        links = ColumnWalk(self._state, self._contents, None).links(node)
        in_order = dict.fromkeys((*self._contents.field_names(self._state, node), *links))
        fed = [(name, [self.input_field(edge) for edge in links[name]]) for name in in_order if links.get(name)]
        return [shapes.FieldLineage(name, inputs) for name, inputs in fed] or None

    def input_field(self, edge: ColumnEdge) -> shapes.InputFieldRef:
        source = self._state.dataset_of(edge.src[0])
        return input_field(source.namespace, source.name, edge.src[1], edge.transformations)


def _times(entities: Sequence[Dataset]) -> tuple[Micros | None, Micros, Micros | None]:
    """When a dataset was first and last seen under any of its names, and when it was last written."""
    first, last, written = entities[0].first, entities[0].last, None
    for dataset in entities:
        if dataset.first is not None and (first is None or dataset.first < first):
            first = dataset.first
        if dataset.last > last:
            last = dataset.last
        if dataset.declared is not None and (written is None or dataset.declared > written):
            written = dataset.declared
        for edge in dataset.into:
            if (written is None or edge.last > written) and edge.src != edge.dst:
                written = edge.last
    return first, last, written


def _lifecycle_state(entities: Sequence[Dataset]) -> str | None:
    latest = None
    for dataset in entities:
        lifecycle = dataset.lifecycle
        if lifecycle is not None and (latest is None or lifecycle.stamp > latest.stamp):
            latest = lifecycle
    return None if latest is None else latest.state


def _plain_fields(schema: f.Schema | None) -> Raw:
    return Raw(_encode(field_list(schema)))


def _types(schema: f.Schema | None) -> dict[str, str | None]:
    return {field.name: field.type for field in field_list(schema)}
