"""Namespaces."""

from litestar import Response, delete, get, put
from litestar.params import JSONBody

from headwater.answers.finding import find_namespace, shown_namespaces
from headwater.api.bodies import NamespaceBody
from headwater.api.context import App, answer, says
from headwater.api.parameters import InPath, Limit, Offset
from headwater.api.paths import segment
from headwater.api.writes import answer_written, write_deletion, write_edit
from headwater.model.edited import NEVER
from headwater.model.edits import NamespacePut
from headwater.model.state import State
from headwater.openlineage import naming
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes import marquez as shapes


@get("/namespaces", responses=says(shapes.Namespaces), summary="All namespaces")
async def namespaces(app: App, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    names = sorted(shown_namespaces(app.state, app.state.namespaces))[offset : offset + limit]
    return answer(shapes.Namespaces([_namespace(app.state, name) for name in names]))


@get("/namespaces/{namespace:str}", responses=says(shapes.Namespace), summary="One namespace")
async def namespace(app: App, namespace: InPath) -> Response[bytes]:
    return answer(_namespace(app.state, find_namespace(app.state, segment(namespace))))


@put("/namespaces/{namespace:str}", responses=says(shapes.Namespace), summary="Create or update a namespace")
async def put_namespace(app: App, namespace: InPath, data: JSONBody[NamespaceBody]) -> Response[bytes]:
    name = segment(namespace)
    if name not in app.state.namespaces:
        name = naming.canonical(name, "x")[0]
    deleted = app.state.edited.deleted.get(("namespace", name, ""), (NEVER,))[-1]
    position = await write_edit(
        app,
        NamespacePut(
            at=app.service.moment(after=deleted), name=name, owner=data.ownerName, description=data.description
        ),
    )
    return answer_written(position, _namespace(app.state, name))


@delete(
    "/namespaces/{namespace:str}",
    responses=says(shapes.Namespace),
    status_code=200,
    summary="Delete a namespace and everything in it",
)
async def delete_namespace(app: App, namespace: InPath) -> Response[bytes]:
    name = find_namespace(app.state, segment(namespace))
    body = _namespace(app.state, name)
    body.isHidden = True
    last = app.state.namespaces[name].last
    return answer_written(await write_deletion(app, [("namespace", name, "")], last), body)


def _namespace(state: State, name: str) -> shapes.Namespace:
    known = state.namespaces[name]
    _, owner, description = state.edited.namespaces.get(name, (None, "anonymous", None))
    return shapes.Namespace(
        name, to_datetime(known.first), to_datetime(known.last), owner, description, state.is_namespace_hidden(name)
    )


routes = (namespaces, namespace, put_namespace, delete_namespace)
