"""State → shapes. What needs the tables (runs, versions) is in `history.py`."""

from collections.abc import Iterable, Mapping
from typing import TypeVar, cast

import msgspec
from msgspec import Raw

from headwater.answers.dataset_json import field_list, input_field
from headwater.answers.run_json import job_uuid, moment, run_shown
from headwater.facet_contents import Contents
from headwater.graph.columns import ColumnEdge, ColumnWalk
from headwater.ids import DELETED, ContentId, Micros, Node
from headwater.interpret.datasets import SCHEMA, SCHEMAS
from headwater.model.changes import Ref
from headwater.model.entities import Dataset, Job, Registers, Run
from headwater.model.shown import facets_of, is_dropped
from headwater.model.state import State
from headwater.model.tagging import WHOLE, labels, tags_by_field
from headwater.openlineage import facets as f
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes import marquez as shapes

_encode = msgspec.json.Encoder().encode
_NO_FIELDS: list[shapes.Field] = []
_JOB_TYPES = {"BATCH": "BATCH", "STREAMING": "STREAM", "STREAM": "STREAM", "SERVICE": "SERVICE"}
_STREAM_TYPES = {"TOPIC", "STREAM"}
_64_BITS = (1 << 64) - 1


D = TypeVar("D", bound=shapes.DatasetData)
J = TypeVar("J", bound=shapes.JobData)


class Renderer:
    def __init__(self, state: State, contents: Contents) -> None:
        self.state, self.contents = state, contents

    # Datasets

    def dataset(
        self,
        node: Node,
        current_version: str | None,
        bodies: Mapping[ContentId, bytes] | None = None,
        fields: bytes | None = None,
        lineage: bytes | None = None,
    ) -> shapes.Dataset:
        """`fields` and `lineage`: what feeds it and its columns without tags, where that is written already."""
        answer = self.dataset_data(node, shapes.Dataset, fields)
        answer.currentVersion = current_version
        written = None if lineage is None else cast(list[shapes.FieldLineage], Raw(lineage))
        answer.columnLineage = self._field_lineage(node) if written is None else written
        answer.facets = self.facet_bodies(self.dataset_facets(node), bodies)
        return answer

    def dataset_data(self, node: Node, shape: type[D], fields: bytes | None = None) -> D:
        state = self.state
        dataset = state.dataset_of(node)
        members = state.aliases.members(node)
        facets = dataset.facets if len(members) == 1 else self.dataset_facets(node)
        tags = self._dataset_tags(members, facets)
        source = self.contents.facet(f.DataSource, facets, "dataSource")
        about = self.contents.facet(f.Documentation, facets, "documentation")
        entities = [state.dataset_of(m) for m in members]
        firsts = [d.first for d in entities if d.first is not None]
        return shape(
            id=shapes.Name(dataset.namespace, dataset.name),
            type=self._dataset_type(dataset, facets),
            name=dataset.name,
            physicalName=self._physical_name(dataset, facets),
            createdAt=moment(min(firsts) if firsts else None),
            updatedAt=moment(max(d.last for d in entities)),
            namespace=dataset.namespace,
            sourceName=(source.name if source and source.name else dataset.namespace) or "default",
            fields=self._fields(node, tags, fields),
            tags=tags.get(WHOLE, []),
            lastModifiedAt=moment(self._last_written(entities)),
            lastLifecycleState=self._lifecycle_state(entities),
            description=about.description if about else None,
            deleted=self.is_dropped(node),
            aliases=[shapes.Name(d.namespace, d.name) for d in entities[1:]],
        )

    def _dataset_type(self, dataset: Dataset, facets: Registers) -> str:
        if dataset.namespace.startswith("kafka://"):
            return "STREAM"
        if "datasetType" in facets:
            told = self.contents.facet(f.DatasetType, facets, "datasetType")
            if told is not None and (told.datasetType or "").upper() in _STREAM_TYPES:
                return "STREAM"
        return "DB_TABLE"

    def dataset_facets(self, node: Node) -> Registers:
        return facets_of(self.state, node)

    @staticmethod
    def contents_shown(facets: Registers) -> dict[str, ContentId]:
        """Facets by the names under which they are shown."""
        wanted = {name: register[2] for name, register in facets.items() if register[2] != DELETED}
        told = [content for name in SCHEMAS if (content := wanted.pop(name, None)) is not None]
        if told:
            wanted[SCHEMA] = told[0]
        return wanted

    def facet_bodies(self, facets: Registers, bodies: Mapping[ContentId, bytes] | None = None) -> dict[str, Raw]:
        """`bodies`: what was read before, for many at once. What came in since is read now."""
        wanted = self.contents_shown(facets)
        if bodies is None or not bodies.keys() >= set(wanted.values()):
            bodies = self.contents.bodies(wanted.values())
        return {name: Raw(bodies[content]) for name, content in wanted.items()}

    def _dataset_tags(self, members: tuple[Node, ...], facets: Registers) -> dict[str, list[str]]:
        tagged = self.state.edited.tagged
        if not tagged and "tags" not in facets:
            return {}
        told = self.contents.facet(f.Tags, facets, "tags")
        names: list[Ref] = [("dataset", d.namespace, d.name) for d in map(self.state.dataset_of, members)]
        return tags_by_field(told, self.state.edited.tags_on(names))

    def _physical_name(self, dataset: Dataset, facets: Registers) -> str:
        told = self.contents.facet(f.DeclaredDataset, facets, f.DECLARED_DATASET)
        return told.physicalName if told is not None and told.physicalName else dataset.name

    def _fields(self, node: Node, tags: dict[str, list[str]], plain: bytes | None) -> list[shapes.Field]:
        if plain is not None and not tags.keys() - {WHOLE}:
            return cast(list[shapes.Field], Raw(plain))
        content = self.contents.schema_content(self.state, node)
        return _NO_FIELDS if content is None else self._tagged_fields(content, tags)

    def _tagged_fields(self, schema: ContentId, tags: dict[str, list[str]]) -> list[shapes.Field]:
        if not tags.keys() - {WHOLE}:
            plain: list[shapes.Field] = self.contents.made(schema, _plain_fields)
            return plain
        fields: list[shapes.Field] = self.contents.made(schema, field_list)
        return [shapes.Field(x.name, x.type, tags.get(x.name, []), x.description) for x in fields]

    def fields_of(self, node: Node, schema: ContentId) -> list[shapes.Field]:
        """The columns of an earlier version, with the tags of today."""
        members = self.state.aliases.members(node)
        return self._tagged_fields(schema, self._dataset_tags(members, self.dataset_facets(node)))

    def _last_written(self, entities: list[Dataset]) -> Micros | None:
        times = [e.last for d in entities for e in d.into if e.src != e.dst]
        times += [d.declared for d in entities if d.declared is not None]
        return max(times, default=None)

    @staticmethod
    def _lifecycle_state(entities: list[Dataset]) -> str | None:
        told = [d.lifecycle for d in entities if d.lifecycle is not None]
        return max(told, key=lambda one: one.stamp).state if told else None

    def is_dropped(self, node: Node) -> bool:
        return is_dropped(self.state, node)

    def _field_lineage(self, node: Node) -> list[shapes.FieldLineage] | None:
        links = ColumnWalk(self.state, self.contents, None).links(node)
        in_order = dict.fromkeys((*self.contents.field_names(self.state, node), *links))
        fed = [(name, [self.input_field(edge) for edge in links[name]]) for name in in_order if links.get(name)]
        return [shapes.FieldLineage(name, inputs) for name, inputs in fed] or None

    def input_field(self, edge: ColumnEdge) -> shapes.InputFieldRef:
        source = self.state.dataset_of(edge.src[0])
        return input_field(source.namespace, source.name, edge.src[1], edge.transformations)

    # Jobs

    def job(self, node: Node, bodies: Mapping[ContentId, bytes] | None = None) -> shapes.Job:
        """Without its runs and its version, of which the tables know more."""
        job = self.state.job_of(node)
        told = self.contents.facet(f.Tags, job.facets, "tags")
        tags = tags_by_field(told, self.state.edited.tags_on([("job", job.namespace, job.name)]))
        answer = self.job_data(node, shapes.Job)
        answer.facets = self.facet_bodies(job.facets, bodies)
        answer.labels = labels(self.contents.facet(f.JobType, job.facets, "jobType"))
        answer.tags = tags.get(WHOLE, [])
        return answer

    def job_data(self, node: Node, shape: type[J]) -> J:
        job = self.state.job_of(node)
        about = self.contents.facet(f.Documentation, job.facets, "documentation")
        code = self.contents.facet(f.SourceCodeLocation, job.facets, "sourceCodeLocation")
        parent = self.state.job_of(job.parent[1]) if job.parent else None
        simple = job.name
        if parent is not None:
            simple = simple.removeprefix(parent.name + ".")
        return shape(
            id=shapes.Name(job.namespace, job.name),
            type=self.job_type(job),
            name=job.name,
            simpleName=simple,
            parentJobName=parent.name if parent else None,
            parentJobUuid=job_uuid(parent.namespace, parent.name) if parent else None,
            createdAt=to_datetime(job.first),
            updatedAt=to_datetime(job.last),
            namespace=job.namespace,
            inputs=self.dataset_names(e.src for e in job.into if not self.state.is_gone(e)),
            outputs=self.dataset_names(e.dst for e in job.out if not self.state.is_gone(e)),
            location=code.url if code else None,
            description=about.description if about else None,
        )

    def latest_run(self, job: Job) -> shapes.Run | None:
        return self.run(job.latest) if job.latest is not None else None

    def job_type(self, job: Job) -> str:
        told = self.contents.facet(f.JobType, job.facets, "jobType")
        return _JOB_TYPES.get((told.processingType or "").upper(), "BATCH") if told else "BATCH"

    def dataset_names(self, nodes: Iterable[Node]) -> list[shapes.Name]:
        found: dict[Node, shapes.Name] = {}
        for node in nodes:
            node = self.state.aliases.canonical(node)
            entity = self.state.nodes[node]
            if node not in found and isinstance(entity, Dataset):
                found[node] = shapes.Name(entity.namespace, entity.name)
        return list(found.values())

    def run(self, run: Run) -> shapes.Run:
        """A run as far as it is in memory: without facets and dataset versions."""
        job = self.state.nodes[run.job]
        args = self.contents.facet(f.RunArgs, run.facets, f.RUN_ARGS) if f.RUN_ARGS in run.facets else None
        return run_shown(run, shapes.Name(job.namespace, job.name), args)

    def field_types(self, node: Node) -> dict[str, str | None]:
        content = self.contents.schema_content(self.state, node)
        return {} if content is None else self.types_of(content)

    def types_of(self, schema: ContentId) -> dict[str, str | None]:
        types: dict[str, str | None] = self.contents.made(schema, _types)
        return types


def _plain_fields(schema: f.Schema | None) -> Raw:
    return Raw(_encode(field_list(schema)))


def _types(schema: f.Schema | None) -> dict[str, str | None]:
    return {field.name: field.type for field in field_list(schema)}
