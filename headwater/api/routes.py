"""The routes, and nothing else: read parameters, ask, answer."""

from typing import Annotated

from litestar import Response, Router, get
from litestar.params import Parameter, QueryParameter

from headwater.api.context import App, answer, says
from headwater.api.finding import close_to, find_columns, find_dataset, find_job, find_node
from headwater.api.parameters import Depth, Limit, Moment, NodeId, Offset, time_of, when_of
from headwater.api.paths import segment
from headwater.errors import BadRequest, NotFound
from headwater.graph.traverse import DIRECTIONS
from headwater.model.state import State
from headwater.openlineage import naming
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes import marquez as shapes
from headwater.store.protocol import EventFilter

# Graphs


@get("/lineage", responses=says(shapes.Graph), summary="Lineage around a job or dataset")
async def lineage(
    app: App,
    node_id: NodeId,
    depth: Depth = 20,
    direction: Annotated[str, Parameter(description=f"One of {', '.join(DIRECTIONS)}.")] = DIRECTIONS[0],
    at: Moment = None,
    since: Moment = None,
    until: Moment = None,
) -> Response[bytes]:
    if direction not in DIRECTIONS:
        raise BadRequest(f"direction {direction!r} is none of {', '.join(DIRECTIONS)}")
    start, when = find_node(app.state, node_id), when_of(at, since, until)
    return answer(await app.graphs.lineage(start, depth, direction, when))


@get("/column-lineage", responses=says(shapes.Graph), summary="Lineage of columns")
async def get_column_lineage(
    app: App,
    node_id: NodeId,
    depth: Depth = 20,
    with_downstream: Annotated[
        bool, QueryParameter(name="withDownstream", description="Follow the columns down as well.")
    ] = False,
    at: Moment = None,
    since: Moment = None,
    until: Moment = None,
) -> Response[bytes]:
    when = when_of(at, since, until)
    start = find_columns(app, node_id, when)
    return answer(await app.graphs.column_lineage(start, depth, down=with_downstream, when=when))


@get("/events/lineage", responses=says(shapes.Events), summary="The events themselves, as they were sent")
async def events(
    app: App,
    before: Moment = None,
    after: Moment = None,
    sort_direction: Annotated[str, QueryParameter(name="sortDirection", description="`asc` or `desc`.")] = "desc",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response[bytes]:
    if sort_direction.lower() not in ("asc", "desc"):
        raise BadRequest("sortDirection is asc or desc")
    wanted = EventFilter(
        time_of("after", after), time_of("before", before), sort_direction.lower() == "desc", limit, offset
    )
    return answer(await app.history.events(wanted))


# The catalogue


@get("/namespaces", responses=says(shapes.Namespaces), summary="All namespaces")
async def namespaces(app: App, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    names = sorted(app.state.namespaces)[offset : offset + limit]
    return answer(shapes.Namespaces([_namespace(app.state, name) for name in names]))


@get("/namespaces/{namespace:str}", responses=says(shapes.Namespace), summary="One namespace")
async def namespace(app: App, namespace: str) -> Response[bytes]:
    return answer(_namespace(app.state, segment(namespace)))


def _namespace(state: State, name: str) -> shapes.Namespace:
    known = state.namespaces.get(name) or state.namespaces.get(naming.canonical(name, "x")[0])
    if known is None:
        raise NotFound(f"no namespace {name!r}.{close_to(name, state.namespaces)}")
    return shapes.Namespace(known.name, to_datetime(known.first), to_datetime(known.last), "anonymous", None, False)


@get("/namespaces/{namespace:str}/datasets", responses=says(shapes.Datasets), summary="Datasets of a namespace")
async def datasets(app: App, namespace: str, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    known = _namespace(app.state, segment(namespace))
    nodes, total = app.listing.datasets(known.name, limit, offset)
    return answer(shapes.Datasets(total, await app.history.datasets(nodes)))


@get("/namespaces/{namespace:str}/datasets/{name:str}", responses=says(shapes.Dataset), summary="One dataset")
async def dataset(app: App, namespace: str, name: str) -> Response[bytes]:
    (found,) = await app.history.datasets([find_dataset(app.state, segment(namespace), segment(name))])
    return answer(found)


@get(
    "/namespaces/{namespace:str}/datasets/{name:str}/versions",
    responses=says(shapes.DatasetVersions),
    summary="A dataset's versions, newest first",
)
async def dataset_versions(
    app: App, namespace: str, name: str, limit: Limit = 100, offset: Offset = 0
) -> Response[bytes]:
    node = find_dataset(app.state, segment(namespace), segment(name))
    return answer(await app.history.versions(node, limit, offset))


@get(
    "/namespaces/{namespace:str}/jobs",
    responses=says(shapes.Jobs),
    summary="Jobs of a namespace, latest first",
)
async def jobs(app: App, namespace: str, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    known = _namespace(app.state, segment(namespace))
    return answer(await _jobs(app, known.name, limit, offset))


@get("/jobs", responses=says(shapes.Jobs), summary="Jobs of all namespaces, latest first")
async def all_jobs(app: App, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    return answer(await _jobs(app, None, limit, offset))


async def _jobs(app: App, namespace: str | None, limit: int, offset: int) -> shapes.Jobs:
    page, total = app.listing.jobs(namespace, limit, offset)
    return shapes.Jobs(total, await app.history.jobs(page))


@get("/namespaces/{namespace:str}/jobs/{name:str}", responses=says(shapes.Job), summary="One job")
async def job(app: App, namespace: str, name: str) -> Response[bytes]:
    (found,) = await app.history.jobs([find_job(app.state, segment(namespace), segment(name))])
    return answer(found)


@get(
    "/namespaces/{namespace:str}/jobs/{name:str}/runs",
    responses=says(shapes.Runs),
    summary="A job's runs, latest first",
)
async def runs(app: App, namespace: str, name: str, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    found = find_job(app.state, segment(namespace), segment(name))
    return answer(await app.history.runs_of_job(found, limit, offset))


@get("/jobs/runs/{run_id:str}", responses=says(shapes.Run), summary="One run, with its history of states")
async def run(app: App, run_id: str) -> Response[bytes]:
    return answer(await app.history.run(segment(run_id)))


@get("/jobs/runs/{run_id:str}/facets", responses=says(shapes.RunFacets), summary="Facets of a run or its job")
async def run_facets(
    app: App,
    run_id: str,
    kind: Annotated[str, QueryParameter(name="type", description="`run` or `job`.")] = "run",
) -> Response[bytes]:
    if kind not in ("run", "job"):
        raise BadRequest("type is run or job")
    return answer(await app.history.run_facets(segment(run_id), kind))


api_router = Router(
    "/api/v1",
    route_handlers=[
        lineage,
        get_column_lineage,
        events,
        namespaces,
        namespace,
        datasets,
        dataset,
        dataset_versions,
        jobs,
        all_jobs,
        job,
        runs,
        run,
        run_facets,
    ],
)
