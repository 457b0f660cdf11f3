"""Datasets and their versions."""

from collections.abc import Iterable

from litestar import Response, delete, get, post, put
from litestar.params import JSONBody

from headwater.answers.finding import find_dataset, find_namespace, find_source
from headwater.api.bodies import DatasetBody
from headwater.api.context import App, answer, says
from headwater.api.events import dataset_event, job_of_run
from headwater.api.parameters import InPath, Limit, Offset
from headwater.api.paths import segment
from headwater.api.writes import answer_written, write, write_deletion, write_tag
from headwater.errors import BadRequest, NotFound
from headwater.ids import Micros, Node
from headwater.ingest.folding import Record
from headwater.model.changes import Ref
from headwater.model.edits import Tagged, edit
from headwater.openlineage import naming
from headwater.shapes import marquez as shapes

_PATH = "/namespaces/{namespace:str}/datasets"


@get(_PATH, responses=says(shapes.Datasets), summary="Datasets of a namespace")
async def datasets(app: App, namespace: InPath, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    name = find_namespace(app.state, segment(namespace))
    nodes, total = app.listing.datasets(name, limit, offset)
    return answer(shapes.Datasets(total, await app.history.datasets(nodes)))


@get(f"{_PATH}/{{name:str}}", responses=says(shapes.Dataset), summary="One dataset")
async def dataset(app: App, namespace: InPath, name: InPath) -> Response[bytes]:
    return answer(await _dataset(app, _find(app, namespace, name)))


@put(f"{_PATH}/{{name:str}}", responses=says(shapes.Dataset), summary="Create or update a dataset")
async def put_dataset(app: App, namespace: InPath, name: InPath, data: JSONBody[DatasetBody]) -> Response[bytes]:
    known = naming.canonical(find_namespace(app.state, segment(namespace)), segment(name))
    run = await app.history.find_run(data.runId) if data.runId is not None else None
    source = find_source(app.state, data.sourceName)
    if data.type == "STREAM" and not data.schemaLocation:
        raise BadRequest("schemaLocation is required for type STREAM", "schemaLocation")
    at = app.service.moment(after=_deleted(app, known))
    event = dataset_event(at, known, data, source, (run, job_of_run(app.state, run)) if run else None)
    position = await write(app, event, *_tagged(at, ("dataset", *known), data))
    return answer_written(position, await _dataset(app, find_dataset(app.state, *known)))


def _deleted(app: App, name: tuple[str, str]) -> Micros:
    """An event brings a deleted dataset back, so it must be later than the deletion."""
    dataset = app.state.find_dataset(*name)
    members = app.state.aliases.members(dataset.node) if dataset is not None else ()
    deletions = app.state.edited.deletions(("dataset", *name))
    return max((*map(app.state.deleted, members), *deletions), default=Micros(0))


def _tagged(at: Micros, entity: Ref, data: DatasetBody) -> Iterable[Record]:
    for tag in data.tags or ():
        yield edit(Tagged(at=at, entity=entity, tag=tag))
    for field in data.fields or ():
        for tag in field.tags or ():
            yield edit(Tagged(at=at, entity=entity, tag=tag, field=field.name))


@delete(f"{_PATH}/{{name:str}}", responses=says(shapes.Dataset), status_code=200, summary="Delete a dataset")
async def delete_dataset(app: App, namespace: InPath, name: InPath) -> Response[bytes]:
    node = _find(app, namespace, name)
    body = await _dataset(app, node)
    body.deleted = True
    members = [app.state.dataset_of(member) for member in app.state.aliases.members(node)]
    entities: list[Ref] = [("dataset", d.namespace, d.name) for d in members]
    return answer_written(await write_deletion(app, entities, max(d.last for d in members)), body)


# Versions


@get(
    f"{_PATH}/{{name:str}}/versions",
    responses=says(shapes.DatasetVersions),
    summary="A dataset's versions, newest first",
)
async def dataset_versions(
    app: App, namespace: InPath, name: InPath, limit: Limit = 100, offset: Offset = 0
) -> Response[bytes]:
    return answer(await app.history.versions(_find(app, namespace, name), limit, offset))


@get(
    f"{_PATH}/{{name:str}}/versions/{{version:str}}",
    responses=says(shapes.DatasetVersion),
    summary="One version of a dataset",
)
async def dataset_version(app: App, namespace: InPath, name: InPath, version: InPath) -> Response[bytes]:
    return answer(await app.history.version(_find(app, namespace, name), segment(version)))


# Tags


@post(
    f"{_PATH}/{{name:str}}/tags/{{tag:str}}", responses=says(shapes.Dataset), status_code=200, summary="Tag a dataset"
)
async def tag_dataset(app: App, namespace: InPath, name: InPath, tag: InPath) -> Response[bytes]:
    return await _tag(app, _find(app, namespace, name), None, tag, on=True)


@delete(
    f"{_PATH}/{{name:str}}/tags/{{tag:str}}",
    responses=says(shapes.Dataset),
    status_code=200,
    summary="Untag a dataset",
)
async def untag_dataset(app: App, namespace: InPath, name: InPath, tag: InPath) -> Response[bytes]:
    return await _tag(app, _find(app, namespace, name), None, tag, on=False)


@post(
    f"{_PATH}/{{name:str}}/fields/{{field:str}}/tags/{{tag:str}}",
    responses=says(shapes.Dataset),
    status_code=200,
    summary="Tag a column",
)
async def tag_field(app: App, namespace: InPath, name: InPath, field: InPath, tag: InPath) -> Response[bytes]:
    node = _find(app, namespace, name)
    return await _tag(app, node, _find_field(app, node, segment(field)), tag, on=True)


@delete(
    f"{_PATH}/{{name:str}}/fields/{{field:str}}/tags/{{tag:str}}",
    responses=says(shapes.Dataset),
    status_code=200,
    summary="Untag a column",
)
async def untag_field(app: App, namespace: InPath, name: InPath, field: InPath, tag: InPath) -> Response[bytes]:
    node = _find(app, namespace, name)
    return await _tag(app, node, _find_field(app, node, segment(field)), tag, on=False)


async def _tag(app: App, node: Node, field: str | None, tag: str, *, on: bool) -> Response[bytes]:
    tagged = app.state.dataset_of(node)
    position = await write_tag(app, ("dataset", tagged.namespace, tagged.name), field, segment(tag), on=on)
    return answer_written(position, await _dataset(app, app.state.aliases.canonical(node)))


def _find_field(app: App, node: Node, field: str) -> str:
    if field not in app.contents.field_names(app.state, node):
        raise NotFound(f"dataset {app.state.dataset_of(node).name!r} has no column {field!r}")
    return field


def _find(app: App, namespace: str, name: str) -> Node:
    return find_dataset(app.state, segment(namespace), segment(name))


async def _dataset(app: App, node: Node) -> shapes.Dataset:
    (dataset,) = await app.history.datasets([node])
    return dataset


routes = (
    datasets,
    dataset,
    put_dataset,
    delete_dataset,
    dataset_versions,
    dataset_version,
    tag_dataset,
    untag_dataset,
    tag_field,
    untag_field,
)
