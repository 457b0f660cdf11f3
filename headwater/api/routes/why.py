"""`/why`: suspects for what a dataset, column, job or run is like at a moment."""

from typing import Annotated

from litestar import Response, get
from litestar.params import Parameter

from headwater.api.context import App, answer, says
from headwater.api.parameters import WITH_COLUMNS, Depth, Moment, node_parameter, time_of
from headwater.ids import type_run
from headwater.shapes.why import Why

AnyNodeId = Annotated[str, node_parameter("nodeId", *WITH_COLUMNS, type_run)]


@get("/why", responses=says(Why), summary="Root cause: suspects upstream, most likely first")
async def get_why(
    app: App,
    node_id: AnyNodeId,
    at: Moment = None,
    since: Moment = None,
    limit: Annotated[int, Parameter(ge=0, le=1000, description="Maximum number of suspects.")] = 20,
    depth: Depth = 20,
) -> Response[bytes]:
    moment, after = time_of("at", at), time_of("since", since)
    return answer(await app.root_causes.why(node_id, moment, after, limit, depth))


routes = (get_why,)
