"""Routes of graphs and events, and the router of all. A route reads parameters, asks, answers."""

from typing import Annotated

from litestar import Response, Router, get
from litestar.params import Parameter, QueryParameter

from headwater.api import connectors, datasets, intake, jobs, namespaces, runs, stats
from headwater.api.context import App, answer, says
from headwater.api.finding import find_columns_in_slices, find_node
from headwater.api.freshness import freshness_handlers
from headwater.api.live import live
from headwater.api.options import options
from headwater.api.parameters import Depth, Limit, Moment, NodeId, NodeOrColumnId, Offset, one_of, time_of, when_of
from headwater.api.questions import handlers as questions
from headwater.api.runlineage import run_lineage_handlers
from headwater.api.search import search
from headwater.api.turns import in_turns
from headwater.api.why import why_handlers
from headwater.errors import BadRequest
from headwater.graph.traverse import DIRECTIONS
from headwater.shapes import marquez as shapes
from headwater.store.protocol import EventFilter


@get("/lineage", responses=says(shapes.Graph), summary="Lineage around a job or dataset")
async def lineage(
    app: App,
    node_id: NodeId,
    depth: Depth = 20,
    direction: Annotated[str, Parameter(description="Which way to go.", schema_extra=one_of(*DIRECTIONS))] = DIRECTIONS[
        0
    ],
    at: Moment = None,
    since: Moment = None,
    until: Moment = None,
) -> Response[bytes]:
    if direction not in DIRECTIONS:
        raise BadRequest(f"direction {direction!r} is none of {', '.join(DIRECTIONS)}")
    when = when_of(at, since, until)
    start = find_node(app.state, node_id, when)
    return answer(await app.graphs.lineage(start, depth, direction, when))


@get("/column-lineage", responses=says(shapes.Graph), summary="Lineage of columns")
async def get_column_lineage(
    app: App,
    node_id: NodeOrColumnId,
    depth: Depth = 20,
    with_downstream: Annotated[
        bool, QueryParameter(name="withDownstream", description="Follow the columns down as well.")
    ] = False,
    at: Moment = None,
    since: Moment = None,
    until: Moment = None,
) -> Response[bytes]:
    when = when_of(at, since, until)
    start = await in_turns(find_columns_in_slices(app, node_id, when))
    return answer(await app.graphs.column_lineage(start, depth, down=with_downstream, when=when))


# Marquez's Python client asks at `/events`.
@get(["/events/lineage", "/events"], responses=says(shapes.Events), summary="The events themselves, as they were sent")
async def events(
    app: App,
    before: Moment = None,
    after: Moment = None,
    sort_direction: Annotated[
        str, QueryParameter(name="sortDirection", description="By eventTime.", schema_extra=one_of("asc", "desc"))
    ] = "desc",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response[bytes]:
    if sort_direction.lower() not in ("asc", "desc"):
        raise BadRequest("sortDirection is asc or desc")
    wanted = EventFilter(
        time_of("after", after), time_of("before", before), sort_direction.lower() == "desc", limit, offset
    )
    return answer(await app.history.events(wanted))


_handlers = [
    lineage,
    get_column_lineage,
    events,
    *intake.routes,
    *namespaces.routes,
    *datasets.routes,
    *jobs.routes,
    *runs.routes,
    *stats.routes,
    *connectors.routes,
    live,
    search,
    *why_handlers,
    *freshness_handlers,
    *run_lineage_handlers,
    *questions,
]
api_router = Router("/api/v1", route_handlers=[options(_handlers), *_handlers])
