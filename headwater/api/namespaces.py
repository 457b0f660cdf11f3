"""Namespaces, sources and tags."""

from litestar import Response, delete, get, put
from litestar.params import JSONBody

from headwater.api.bodies import NamespaceBody, SourceBody, TagBody
from headwater.api.context import App, answer, says
from headwater.api.finding import close_to, find_namespace, shown_namespaces
from headwater.api.parameters import InPath, Limit, Offset
from headwater.api.paths import segment
from headwater.api.telling import tell_deleted, tell_edit, told
from headwater.errors import NotFound
from headwater.model.edited import NEVER
from headwater.model.edits import NamespacePut, SourcePut, TagPut
from headwater.model.state import Source, State
from headwater.openlineage import naming
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes import marquez as shapes

# Namespaces


@get("/namespaces", responses=says(shapes.Namespaces), summary="All namespaces")
async def namespaces(app: App, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    names = sorted(shown_namespaces(app.state, app.state.namespaces))[offset : offset + limit]
    return answer(shapes.Namespaces([_namespace(app.state, name) for name in names]))


@get("/namespaces/{namespace:str}", responses=says(shapes.Namespace), summary="One namespace")
async def namespace(app: App, namespace: InPath) -> Response[bytes]:
    return answer(_namespace(app.state, find_namespace(app.state, segment(namespace))))


@put("/namespaces/{namespace:str}", responses=says(shapes.Namespace), summary="Make a namespace, or say who owns it")
async def put_namespace(app: App, namespace: InPath, data: JSONBody[NamespaceBody]) -> Response[bytes]:
    name = segment(namespace)
    if name not in app.state.namespaces:
        name = naming.canonical(name, "x")[0]
    deleted = app.state.edited.deleted.get(("namespace", name, ""), (NEVER,))[-1]
    position = await tell_edit(
        app,
        NamespacePut(
            at=app.service.moment(after=deleted), name=name, owner=data.ownerName, description=data.description
        ),
    )
    return told(position, _namespace(app.state, name))


@delete(
    "/namespaces/{namespace:str}",
    responses=says(shapes.Namespace),
    status_code=200,
    summary="Delete a namespace with all that is in it",
)
async def delete_namespace(app: App, namespace: InPath) -> Response[bytes]:
    name = find_namespace(app.state, segment(namespace))
    body = _namespace(app.state, name)
    body.isHidden = True
    last = app.state.namespaces[name].last
    return told(await tell_deleted(app, [("namespace", name, "")], last), body)


def _namespace(state: State, name: str) -> shapes.Namespace:
    known = state.namespaces[name]
    _, owner, description = state.edited.namespaces.get(name, (None, "anonymous", None))
    return shapes.Namespace(
        name, to_datetime(known.first), to_datetime(known.last), owner, description, state.is_namespace_hidden(name)
    )


# Sources


@get("/sources", responses=says(shapes.Sources), summary="All sources of datasets")
async def sources(app: App, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    names = sorted(app.state.sources)[offset : offset + limit]
    return answer(shapes.Sources([_source(app.state, app.state.sources[name]) for name in names]))


@get("/sources/{source:str}", responses=says(shapes.Source), summary="One source")
async def source(app: App, source: InPath) -> Response[bytes]:
    return answer(_source(app.state, find_source(app.state, segment(source))))


@put("/sources/{source:str}", responses=says(shapes.Source), summary="Make a source, or say where it is")
async def put_source(app: App, source: InPath, data: JSONBody[SourceBody]) -> Response[bytes]:
    name = segment(source)
    position = await tell_edit(
        app,
        SourcePut(
            at=app.service.moment(),
            name=name,
            kind=data.type.upper(),
            url=data.connectionUrl,
            description=data.description,
        ),
    )
    return told(position, _source(app.state, app.state.sources[name]))


def find_source(state: State, name: str) -> Source:
    found = state.sources.get(name)
    if found is None:
        raise NotFound(f"no source {name!r}.{close_to(name, state.sources)}")
    return found


def _source(state: State, source: Source) -> shapes.Source:
    _, kind, description = state.edited.sources.get(source.name, (None, _scheme(source.uri), None))
    first, last = to_datetime(source.first), to_datetime(source.last)
    return shapes.Source(kind, source.name, first, last, source.uri, description)


def _scheme(uri: str) -> str:
    """`postgresql://…` and `jdbc:postgresql://…` are POSTGRESQL."""
    scheme = uri.removeprefix("jdbc:").partition(":")[0]
    return scheme.upper() if scheme and scheme != uri else "UNKNOWN"


# Tags


@get("/tags", responses=says(shapes.Tags), summary="All tags that were made or used through the API")
async def tags(app: App, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    known = app.state.edited.tags
    return answer(shapes.Tags([shapes.Tag(name, known[name][1]) for name in sorted(known)[offset : offset + limit]]))


@put("/tags/{tag:str}", responses=says(shapes.Tag), summary="Make a tag, or say what it means")
async def put_tag(app: App, tag: InPath, data: JSONBody[TagBody]) -> Response[bytes]:
    name = segment(tag)
    position = await tell_edit(app, TagPut(at=app.service.moment(), name=name, description=data.description))
    return told(position, shapes.Tag(name, app.state.edited.tags[name][1]))


routes = (
    namespaces,
    namespace,
    put_namespace,
    delete_namespace,
    sources,
    source,
    put_source,
    tags,
    put_tag,
)
