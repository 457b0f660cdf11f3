"""GET /live: the live stream as server-sent events."""

import asyncio
import logging
from typing import Annotated

from litestar import get
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import HeaderParameter, Parameter, QueryParameter
from litestar.types import ASGIApp, Receive, Scope, Send

from headwater.answers.finding import find_node
from headwater.api.context import App
from headwater.api.parameters import JOB_OR_DATASET, node_parameter
from headwater.api.position import read_position
from headwater.live.hub import Subscription
from headwater.live.update_filter import Surroundings, UpdateFilter
from headwater.openlineage import naming

logger = logging.getLogger(__name__)

LIVE_PATH = "/api/v1/live"

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),  # nginx would hold back what is sent
]


@get(
    "/live",
    responses={
        200: ResponseSpec(
            data_container=str,
            description="Server-sent events without end: `change`, `hello` and `resync`, whose data are a "
            "LiveChange, LiveHello and LiveResync.",
            media_type="text/event-stream",
            generate_examples=False,
        )
    },
    summary="Every change as it happens",
)
async def live(
    app: App,
    namespace: Annotated[
        list[str] | None, Parameter(description="Only changes in these namespaces. Repeatable.")
    ] = None,
    around: Annotated[str | None, node_parameter("nodeId", *JOB_OR_DATASET)] = None,
    depth: Annotated[int, Parameter(ge=0, le=1 << 31, description="Maximum distance from that node, in jobs.")] = 20,
    last_event_id: Annotated[
        str | None, HeaderParameter(name="Last-Event-ID", description="Resume after this position.")
    ] = None,
    last_id: Annotated[
        str | None, QueryParameter(name="lastEventId", description="The same, for clients that cannot set the header.")
    ] = None,
) -> ASGIApp:
    namespaces = frozenset(naming.canonical(name, "x")[0] for name in namespace or ())
    place = None if around is None else Surroundings(app.state, find_node(app.state, around), depth)
    last_seen = last_event_id or last_id
    after = read_position("Last-Event-ID", last_seen) if last_seen else None
    return _Stream(app.service.live.subscribe(after, UpdateFilter(namespaces, place)))


class _Stream:
    def __init__(self, subscription: Subscription) -> None:
        self._subscription = subscription

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._subscription:
            sending = asyncio.create_task(self._send(send))
            leaving = asyncio.create_task(_client_leaves(receive))
            self._subscription.abort = sending.cancel
            try:
                await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
            finally:
                failed = sending.exception() if sending.done() and not sending.cancelled() else None
                if failed is not None and not leaving.done():
                    logger.error("a live stream failed", exc_info=failed)
                for task in (sending, leaving):
                    task.cancel()
                await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        async for piece in self._subscription.pieces():
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _client_leaves(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


routes = (live,)
