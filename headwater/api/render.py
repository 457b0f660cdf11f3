"""State → shapes. What needs the tables (runs, versions) is in `history.py`."""

from collections.abc import Iterable
from datetime import datetime
from typing import TypeVar
from uuid import UUID

import msgspec
from msgspec import Raw

from headwater.api import shapes
from headwater.contents import Contents
from headwater.graph.columns import ColumnEdge, column_lineage, columns_of
from headwater.ids import DELETED, ContentId, Micros, Node
from headwater.interpret.datasets import SCHEMA, SCHEMAS
from headwater.model.entities import Dataset, Job, Registers, Run
from headwater.model.state import State
from headwater.openlineage import facets as f
from headwater.openlineage.event import stamp_time
from headwater.openlineage.timestamps import to_datetime

_encode = msgspec.json.Encoder().encode
_NO_FIELDS = Raw(b"[]")
_JOB_TYPES = {"BATCH": "BATCH", "STREAMING": "STREAM", "STREAM": "STREAM", "SERVICE": "SERVICE"}
_STREAM_TYPES = {"TOPIC", "STREAM"}


D = TypeVar("D", bound=shapes.DatasetData)
J = TypeVar("J", bound=shapes.JobData)


def moment(at: Micros | None) -> datetime | None:
    return None if at is None else to_datetime(at)


def uuid_text(raw: bytes) -> str:
    return str(UUID(bytes=raw))


class Renderer:
    def __init__(self, state: State, contents: Contents) -> None:
        self.state, self.contents = state, contents

    # Datasets

    def dataset(self, node: Node, current_version: str | None) -> shapes.Dataset:
        answer = self.dataset_data(node, shapes.Dataset)
        answer.currentVersion = current_version
        answer.columnLineage = self._field_lineage(node)
        answer.facets = self.facet_bodies(self.dataset_facets(node))
        return answer

    def dataset_data(self, node: Node, shape: type[D]) -> D:
        state = self.state
        dataset = state.dataset_of(node)
        members = state.aliases.members(node)
        facets = dataset.facets if len(members) == 1 else self.dataset_facets(node)
        tags = self.contents.facet(f.Tags, facets, "tags") if "tags" in facets else None
        source = self.contents.facet(f.DataSource, facets, "dataSource")
        about = self.contents.facet(f.Documentation, facets, "documentation")
        entities = [state.dataset_of(m) for m in members]
        firsts = [d.first for d in entities if d.first is not None]
        return shape(
            id=shapes.Name(dataset.namespace, dataset.name),
            type=self._dataset_type(dataset, facets),
            name=dataset.name,
            physicalName=dataset.name,
            createdAt=moment(min(firsts) if firsts else None),
            updatedAt=moment(max(d.last for d in entities)),
            namespace=dataset.namespace,
            sourceName=(source.name if source and source.name else dataset.namespace) or "default",
            fields=self._fields(node, tags),
            tags=_tag_names(t for t in (tags.tags if tags else None) or () if t.field is None),
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
        """The facets of all names of a dataset: of each the one that was said last."""
        merged: Registers = {}
        for member in self.state.aliases.members(node):
            for name, register in self.state.dataset_of(member).facets.items():
                held = merged.get(name)
                if held is None or register[1:] > held[1:]:
                    merged[name] = register
        return merged

    def facet_bodies(self, facets: Registers) -> dict[str, Raw]:
        wanted = {name: register[2] for name, register in facets.items() if register[2] != DELETED}
        told = [content for name in SCHEMAS if (content := wanted.pop(name, None)) is not None]
        if told:
            wanted[SCHEMA] = told[0]
        bodies = self.contents.bodies(wanted.values())
        return {name: Raw(bodies[content]) for name, content in wanted.items()}

    def _fields(self, node: Node, tags: f.Tags | None) -> Raw:
        content = self.contents.schema_content(self.state, node)
        if content is None:
            return _NO_FIELDS
        by_field = [t for t in (tags.tags if tags else None) or () if t.field is not None]
        if not by_field:
            return self.fields_of(content)
        fields: list[shapes.Field] = self.contents.made(content, _field_list)
        return Raw(
            _encode(
                [
                    shapes.Field(x.name, x.type, _tag_names(t for t in by_field if t.field == x.name), x.description)
                    for x in fields
                ]
            )
        )

    def fields_of(self, schema: ContentId) -> Raw:
        plain: Raw = self.contents.made(schema, _plain_fields)
        return plain

    def _last_written(self, entities: list[Dataset]) -> Micros | None:
        times = [e.last for d in entities for e in d.into if e.src != e.dst]
        times += [d.declared for d in entities if d.declared is not None]
        return max(times, default=None)

    @staticmethod
    def _lifecycle_state(entities: list[Dataset]) -> str | None:
        told = [d.lifecycle for d in entities if d.lifecycle is not None]
        return max(told, key=lambda one: one.stamp).state if told else None

    def is_dropped(self, node: Node) -> bool:
        """Dropped, and written since by nobody but the job that dropped it."""
        entities = [self.state.dataset_of(m) for m in self.state.aliases.members(node)]
        told = [d.lifecycle for d in entities if d.lifecycle is not None]
        if not told:
            return False
        last = max(told, key=lambda one: one.stamp)
        if last.state != "DROP":
            return False
        at = stamp_time(last.stamp)
        if any(d.declared is not None and d.declared > at for d in entities):
            return False
        return not any(e.last > at and e.src != last.job for d in entities for e in d.into)

    def _field_lineage(self, node: Node) -> list[shapes.FieldLineage] | None:
        columns = columns_of(self.state, self.contents, node)
        found = column_lineage(self.state, self.contents, columns, 1)
        if not found.edges:
            return None
        inputs: dict[str, list[shapes.InputFieldRef]] = {name: [] for _, name in columns}
        for edge in found.edges:
            inputs[edge.dst[1]].append(self.input_field(edge))
        return [shapes.FieldLineage(n, refs) for n, refs in inputs.items() if refs]

    def input_field(self, edge: ColumnEdge) -> shapes.InputFieldRef:
        source = self.state.dataset_of(edge.src[0])
        first = edge.transformations[0] if edge.transformations else None
        return shapes.InputFieldRef(
            source.namespace,
            source.name,
            edge.src[1],
            transformation_type(first),
            first.description if first else None,
            [msgspec.to_builtins(t) for t in edge.transformations],
        )

    # Jobs

    def job(self, node: Node, latest: list[shapes.Run], current_version: str | None) -> shapes.Job:
        job = self.state.job_of(node)
        tags = self.contents.facet(f.Tags, job.facets, "tags")
        answer = self.job_data(node, shapes.Job)
        answer.latestRuns = latest
        answer.facets = self.facet_bodies(job.facets)
        answer.currentVersion = current_version
        answer.tags = _tag_names((tags.tags if tags else None) or ())
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
            parentJobUuid=None,
            createdAt=to_datetime(job.first),
            updatedAt=to_datetime(job.last),
            namespace=job.namespace,
            inputs=self._dataset_names(e.src for e in job.into),
            outputs=self._dataset_names(e.dst for e in job.out),
            location=code.url if code else None,
            description=about.description if about else None,
            latestRun=self.run(job.latest) if job.latest is not None else None,
        )

    def job_type(self, job: Job) -> str:
        told = self.contents.facet(f.JobType, job.facets, "jobType")
        return _JOB_TYPES.get((told.processingType or "").upper(), "BATCH") if told else "BATCH"

    def _dataset_names(self, nodes: Iterable[Node]) -> list[shapes.Name]:
        found: dict[Node, shapes.Name] = {}
        for node in nodes:
            node = self.state.aliases.canonical(node)
            entity = self.state.nodes[node]
            if node not in found and isinstance(entity, Dataset):
                found[node] = shapes.Name(entity.namespace, entity.name)
        return list(found.values())

    def run(self, run: Run) -> shapes.Run:
        """A run as far as it is in memory: without facets and dataset versions."""
        started, ended = run.started_at, run.ended_at
        job = self.state.job_of(run.job)
        return shapes.Run(
            id=run.id,
            createdAt=moment(stamp_time(run.first)) if run.first is not None else None,
            updatedAt=moment(stamp_time(run.last)) if run.first is not None else None,
            nominalStartTime=moment(run.nominal[1]) if run.nominal else None,
            nominalEndTime=moment(run.nominal[2]) if run.nominal else None,
            state=run.state,
            startedAt=moment(started),
            endedAt=moment(ended),
            durationMs=(ended - started) // 1000 if ended is not None and started is not None else None,
            job=shapes.Name(job.namespace, job.name),
            parentRunId=run.parent[1] if run.parent else None,
            rootRunId=run.root[1] if run.root else None,
        )

    def field_types(self, node: Node) -> dict[str, str | None]:
        content = self.contents.schema_content(self.state, node)
        return {} if content is None else self.types_of(content)

    def types_of(self, schema: ContentId) -> dict[str, str | None]:
        types: dict[str, str | None] = self.contents.made(schema, _types)
        return types


def transformation_type(told: f.Transformation | None) -> str | None:
    if told is None:
        return None
    return "MASKED" if told.masking else told.subtype or told.type


def _tag_names(tags: Iterable[f.Tag]) -> list[str]:
    """`pii` for a tag that only says yes, `tier:gold` for one with a value."""
    return [t.key if t.value.lower() in ("", "true") else f"{t.key}:{t.value}" for t in tags]


def _field_list(schema: f.Schema | None) -> list[shapes.Field]:
    """Each column once, even where a schema lists one twice, with and without a type."""
    found: dict[str, shapes.Field] = {}
    for field in (schema.fields if schema else None) or ():
        held = found.get(field.name)
        if held is None or (held.type is None and field.type is not None):
            found[field.name] = shapes.Field(field.name, field.type, [], field.description)
    return list(found.values())


def _plain_fields(schema: f.Schema | None) -> Raw:
    return Raw(_encode(_field_list(schema)))


def _types(schema: f.Schema | None) -> dict[str, str | None]:
    return {field.name: field.type for field in _field_list(schema)}
