"""The OpenAPI document: what Litestar knows of the routes, completed.

Litestar knows paths and parameters. The schemas are ours (schemas.py), and so is what holds for
many routes alike: how they can fail, which headers they have, what they are called.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from litestar import Litestar, Request, Response, Router
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.routes import HTTPRoute
from litestar.types import Method
from litestar.types.internal_types import PathParameterDefinition

from headwater import __version__
from headwater.api.ingest import BATCH_PATH, EVENT_PATH
from headwater.api.position import LAST_POSITION
from headwater.api.routes.live import LIVE_PATH
from headwater.api.schemas import TEXT, Json, ref, schemas_of
from headwater.shapes.live import LiveChange, LiveHello, LiveResync
from headwater.shapes.marquez import Health
from headwater.shapes.problem import ErrorBody

_DESCRIPTION = """Lineage: OpenLineage in, Marquez's API and more out.

Every error has the same body (`ErrorBody`), also 404 for an unknown path and 405 for a method that a
path does not have (with `Allow`). Every GET route also answers HEAD, except the live stream."""

_ERRORS = {
    400: ("BadRequest", "Invalid request; `errors` names the parameters or fields."),
    403: ("NotAllowed", "Not allowed on this server; the message names the setting that allows it."),
    404: ("NotFound", "Not found; the message suggests similar names."),
    409: ("Conflict", "The name is taken, or the cluster is rebalancing: try again later."),
    413: ("TooLarge", "The body is too large."),
    422: ("BadEvent", "Valid JSON but not a valid event; `errors` says what is wrong and where."),
    502: ("NoAnswer", "The Connect cluster did not answer, or answered with an error."),
    503: ("NotNow", "The server cannot write at the moment, or has not reached the position yet. Try again later."),
    504: ("TookTooLong", "The query exceeded its deadline; ask for less."),
}

# Parameters that name something that must exist.
_NAMING = {"nodeId", "runId", "from", "to"}

# What is put by its name need not exist before.
_MAKING = {"putNamespace", "putSource", "putTag"}

_CONNECT = "/api/v1/connect/"

_POSITION: Json = {"type": "integer", "minimum": 0, "maximum": LAST_POSITION}


def operation_id(_: HTTPRouteHandler, method: Method, path: list[str | PathParameterDefinition]) -> str:
    """`GET /api/v1/namespaces/{namespace}/jobs` → `getNamespaceJobs`: the same for as long as the path is."""
    words = [method.lower()]
    for part, following in zip(path, [*path[1:], ""], strict=True):
        if isinstance(part, str) and part not in ("api", "v1"):
            one = part.removesuffix("s") if isinstance(following, PathParameterDefinition) else part
            words += [word.capitalize() for word in one.split("-")]
    return "".join(words)


class Document(JsonRenderPlugin):
    """The document at `/schema/openapi.json`, made at the first request."""

    _made: bytes | None = None

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        if self._made is None:
            self._made = msgspec.json.encode(described(request.app))
        return self._made


def openapi_config() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Headwater",
        version=__version__,
        description=_DESCRIPTION,
        operation_id_creator=operation_id,
        render_plugins=[Document()],
        openapi_router=Router("/schema", route_handlers=[], include_in_schema=False, after_request=_no_page),
    )


def _no_page(response: Response[Any]) -> Response[Any]:
    """Litestar answers other paths below with a page of its own."""
    if response.status_code == 404:
        raise NotFoundException
    return response


def described(app: Litestar) -> Json:
    """The document of all routes."""
    document = app.openapi_schema.to_schema()
    # In an order that does not change from one start to the next.
    paths = {path: dict(sorted(operations.items())) for path, operations in sorted(document["paths"].items())}
    for path, operations in paths.items():
        for method, operation in operations.items():
            _complete(path, method, operation)
    return {
        "openapi": document["openapi"],
        "info": document["info"],
        "servers": document["servers"],
        "paths": paths,
        "components": {
            "schemas": schemas_of([*_shapes(app), ErrorBody, LiveChange, LiveHello, LiveResync]),
            "responses": {name: _error(code, description) for code, (name, description) in _ERRORS.items()},
        },
    }


def _shapes(app: Litestar) -> Iterator[Any]:
    """What the routes answer with, and the bodies that they take."""
    for route in app.routes:
        for handler in route.route_handlers if isinstance(route, HTTPRoute) else ():
            for response in (handler.responses or {}).values():
                yield response.data_container
            if "data" in handler.parsed_fn_signature.parameters:
                yield handler.parsed_fn_signature.parameters["data"].annotation


def _complete(path: str, method: str, operation: Json) -> None:
    del operation["deprecated"]
    operation["parameters"] = [_parameter(parameter) for parameter in operation.get("parameters", ())]
    if method == "get" and path != LIVE_PATH:
        operation["parameters"].append(_POSITION_PARAMETER)
    if path in _EVENT_BODIES and method == "post":
        operation["requestBody"] = _EVENT_BODIES[path]
    # Litestar has a 400 of its own shape, which it never sends here.
    responses: dict[str, Json] = {code: one for code, one in operation["responses"].items() if code < "400"}
    for code, response in responses.items():
        headers = dict(_response_headers(path, method, code))
        if headers:
            response["headers"] = headers
        else:
            response.pop("headers", None)
    for failure in _failures(path, method, operation):
        responses[str(failure)] = {"$ref": f"#/components/responses/{_ERRORS[failure][0]}"}
    if path == "/healthz":
        responses["503"] = _UNHEALTHY
    operation["responses"] = responses


def _parameter(made: Json) -> Json:
    """As Litestar makes it, without what goes without saying; and nobody can send null in a URL."""
    schema: Json = made["schema"]
    schema.pop("description", None)
    if "oneOf" in schema:
        (only,) = (one for one in schema.pop("oneOf") if one != {"type": "null"})
        schema = {**only, **schema}
    for bound in ("minimum", "maximum"):
        if bound in schema:
            schema[bound] = int(schema[bound])
    parameter = {"name": made["name"], "in": made["in"], "required": made["required"]}
    return {**parameter, "description": made["description"], "schema": schema}


def _failures(path: str, method: str, operation: Json) -> Iterator[int]:
    """How it can fail: by what it takes, by what it names, by what it has to do."""
    yield 400
    names = {one["name"] for one in operation["parameters"] if one["in"] == "path" or one["name"] in _NAMING}
    if names and operation["operationId"] not in _MAKING:
        yield 404
    if path.startswith(_CONNECT) and names:
        yield 502
        if method != "get":
            yield from (403, 409)
    if "requestBody" in operation:
        yield 413
    is_ingest = path in _EVENT_BODIES and method == "post"
    if is_ingest:
        yield 422
    if path != LIVE_PATH:
        yield 503
    if not is_ingest:
        yield 504


def _response_headers(path: str, method: str, code: str) -> Iterator[tuple[str, Json]]:
    if method != "get" and not path.endswith("/validate"):
        described = "Position in the log; a GET with this header sees the change."
        # A batch may be empty, or have nothing in it that can be accepted.
        yield "Headwater-Position", {"description": described, "required": path != BATCH_PATH, "schema": _POSITION}
    if code == "201" and path != EVENT_PATH:
        yield "Location", {"description": "URL of the new resource.", "required": True, "schema": TEXT}


def _error(code: int, description: str) -> Json:
    response: Json = {"description": description, "content": _json(ref(ErrorBody.__name__))}
    if code == 503:
        seconds = {"type": "integer", "minimum": 1}
        response["headers"] = {"Retry-After": {"description": "Seconds.", "required": True, "schema": seconds}}
    return response


def _json(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}


_POSITION_PARAMETER = {
    "name": "Headwater-Position",
    "in": "header",
    "required": False,
    "description": "Wait until the graph has the event at this position of the log.",
    "schema": _POSITION,
}
_EVENT_BODIES: dict[str, Json] = {
    EVENT_PATH: {
        "description": "May be gzip, with `Content-Encoding`.",
        "content": _json(ref("Event")),
        "required": True,
    },
    BATCH_PATH: {
        "description": "May be gzip, with `Content-Encoding`. Rejected events do not hold up the others.",
        "content": _json({"type": "array", "items": ref("Event")}),
        "required": True,
    },
}
_UNHEALTHY: Json = {
    "description": "The server cannot write to disk, or has not reached the position yet.",
    "content": _json({"oneOf": [ref(Health.__name__), ref(ErrorBody.__name__)]}),
}
