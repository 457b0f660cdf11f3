"""The ingest paths as routes.

`app.py` hands events to `api/ingest.py` before any routing. These routes serve the other spellings of
its paths, such as with a slash at the end, and make OpenAPI, OPTIONS and 405 know them.
"""

from litestar import post
from litestar.openapi.datastructures import ResponseSpec
from litestar.types import ASGIApp, Receive, Scope, Send

from headwater.api.context import App
from headwater.api.ingest import BATCH_PATH, EVENT_PATH, Ingest
from headwater.shapes.ingest import BatchAnswer


@post(
    "/lineage",
    responses={201: ResponseSpec(None, description="The event is on disk and in the graph.", generate_examples=False)},
    summary="Ingest a run, job or dataset event",
)
async def post_event(app: App) -> ASGIApp:
    return _taken(app.ingest, EVENT_PATH)


@post(
    "/lineage/batch",
    responses={
        204: ResponseSpec(None, description="All events are on disk and in the graph.", generate_examples=False),
        200: ResponseSpec(BatchAnswer, description="Some events were rejected.", generate_examples=False),
    },
    status_code=200,
    summary="Ingest a batch of events",
)
async def post_batch(app: App) -> ASGIApp:
    return _taken(app.ingest, BATCH_PATH)


def _taken(ingest: Ingest, path: str) -> ASGIApp:
    async def take(scope: Scope, receive: Receive, send: Send) -> None:
        await ingest({**scope, "path": path}, receive, send)  # type: ignore[arg-type]

    return take


routes = (post_event, post_batch)
