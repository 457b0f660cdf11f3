"""The ASGI application: ingest and the page directly, everything else through Litestar."""

import logging
import re
from collections.abc import Callable
from typing import Any

import msgspec
from litestar import Litestar, Request, Response
from litestar.di import Provide
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException

from headwater.answers.diffs import DiffWriter
from headwater.answers.freshness import FreshnessFinder
from headwater.answers.gaps import GapFinder
from headwater.answers.graphs import GraphWriter
from headwater.answers.history import History
from headwater.answers.impacts import ImpactWriter
from headwater.answers.large_answers import LargeAnswers
from headwater.answers.late import LateFinder
from headwater.answers.listing import Listing
from headwater.answers.render import Renderer
from headwater.answers.why import RootCauses
from headwater.api.context import Context
from headwater.api.deadlines import QueryDeadlines
from headwater.api.errors import body_of
from headwater.api.ingest import BATCH_PATH, EVENT_PATH, Ingest, Receive, Scope, Send, answer_error, bounded
from headwater.api.openapi import described, openapi_config
from headwater.api.page import Page
from headwater.api.paths import routable
from headwater.api.position import position_reached
from headwater.api.routes import all_routes
from headwater.api.routes.live import LIVE_PATH
from headwater.config import Settings
from headwater.connect.clusters import Clusters
from headwater.errors import BadRequest, HeadwaterError, TookTooLong
from headwater.facet_contents import Contents
from headwater.ingest.service import Service
from headwater.search.search import Search
from headwater.shapes.problem import ErrorBody, FieldProblem

logger = logging.getLogger(__name__)


def _error(body: ErrorBody, headers: dict[str, str] | None = None) -> Response[bytes]:
    if body.code == 503:
        headers = {"retry-after": "5"}
    return Response(msgspec.json.encode(body), status_code=body.code, media_type="application/json", headers=headers)


def _on_headwater_error(_: Request[Any, Any, Any], error: HeadwaterError) -> Response[bytes]:
    return _error(body_of(error))


def _on_http_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    extra = error.extra if isinstance(error.extra, list) else []
    problems = [_problem(e) for e in extra]
    message = "; ".join(f"{p.path}: {p.message}" for p in problems) or error.detail
    if isinstance(error, NotFoundException):
        message = "no such path; /schema/openapi.json lists all paths"
    elif isinstance(error, MethodNotAllowedException):
        message = f"{request.method[:20]} is not allowed here; allowed: {(error.headers or {})['allow']}"
    return _error(ErrorBody(error.status_code, message, errors=problems), error.headers)


def _problem(extra: dict[str, Any]) -> FieldProblem:
    key, message = str(extra.get("key", "")), str(extra.get("message", ""))
    if extra.get("source") != "body":
        return FieldProblem(_camel(key), message)
    at = "" if key == "data" else f"{key}."
    if message == "'data'":
        return FieldProblem("$", "a JSON object is required")
    if field := _FIELD.fullmatch(message):
        return FieldProblem(at + field[2], _FIELD_PROBLEMS[field[1]])
    return FieldProblem(at.rstrip(".") or "$", message)


_FIELD = re.compile("Object (contains unknown|missing required) field `(.*)`")
_FIELD_PROBLEMS = {"contains unknown": "unknown field", "missing required": "is required"}


def _camel(name: str) -> str:
    """Parameters as clients know them: `with_downstream` is ours, `withDownstream` theirs."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _on_deep_nesting(_: Request[Any, Any, Any], __: RecursionError) -> Response[bytes]:
    return _error(ErrorBody(400, "the body is nested too deeply", errors=[FieldProblem("$", "is nested too deeply")]))


def _on_bad_encoding(_: Request[Any, Any, Any], __: UnicodeDecodeError) -> Response[bytes]:
    return _error(ErrorBody(400, "the body is not UTF-8", errors=[FieldProblem("$", "is not UTF-8")]))


def _on_bug(_: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    logger.error("a request failed", exc_info=error)
    return _error(ErrorBody(500, "internal error; see the server's log"))


def _routes(context: Callable[[], Context | None]) -> Litestar:
    return Litestar(
        route_handlers=[*all_routes],
        dependencies={"app": Provide(context, sync_to_thread=False)},
        exception_handlers={
            HeadwaterError: _on_headwater_error,
            HTTPException: _on_http_error,
            RecursionError: _on_deep_nesting,
            UnicodeDecodeError: _on_bad_encoding,
            Exception: _on_bug,
        },
        request_max_body_size=None,  # `bounded` answers clients that are still sending
        openapi_config=openapi_config(),
        logging_config=None,
    )


def document() -> dict[str, Any]:
    """What `/schema/openapi.json` answers, without a server."""
    return described(_routes(lambda: None))


class Application:
    def __init__(self, service: Service, settings: Settings) -> None:
        contents = Contents(service.log)
        renderer = Renderer(service.state, contents)
        large_answers = LargeAnswers(service.events_come_in)
        history, listing = History(service, contents, renderer), Listing(renderer)
        self.search = Search(service, contents, settings.data)
        ingest = self._ingest = Ingest(service, settings)
        context = Context(
            service,
            contents,
            renderer,
            history,
            GraphWriter(renderer, large_answers),
            listing,
            self.search,
            ImpactWriter(renderer, large_answers),
            DiffWriter(renderer, history),
            GapFinder(renderer, listing),
            RootCauses(service, renderer),
            FreshnessFinder(service, renderer),
            LateFinder(service, renderer, listing),
            ingest,
            Clusters(settings.connect, allowed=settings.operate),
        )
        self._service, self._position_seconds = service, settings.position_seconds
        self._page = Page()
        routes = _routes(lambda: context)
        self._queries = QueryDeadlines(routes, service.counters, settings.query_seconds)  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if scope["method"] == "POST" and scope["path"] in (EVENT_PATH, BATCH_PATH):
                await self._ingest(scope, receive, send)
                return
            if scope["method"] == "HEAD" and scope["path"] != LIVE_PATH:
                scope["method"] = "GET"  # the HTTP server leaves out the body
            if scope["method"] == "GET" and self._page.has(scope["path"]):
                await self._page(scope, send)
                return
            if (
                scope["method"] == "GET"
                and scope["path"] != LIVE_PATH  # it has its own way to name a position
                and not await position_reached(self._service, self.search, self._position_seconds, scope, send)
            ):
                return
            try:
                if raw := scope.get("raw_path"):
                    scope["path"] = routable(raw)
                await self._queries(scope, bounded(receive), send)
            except (BadRequest, TookTooLong) as e:
                await answer_error(send, e)
