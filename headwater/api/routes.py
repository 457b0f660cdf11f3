"""The routes, and nothing else: read parameters, ask, answer."""

from typing import Annotated

from litestar import Response, Router, get
from litestar.params import Parameter

from headwater.api import shapes
from headwater.api.context import App, answer, says
from headwater.api.finding import close_to, find_columns, find_dataset, find_job, find_node
from headwater.api.paths import segment
from headwater.errors import BadRequest, NotFound
from headwater.graph.columns import column_lineage
from headwater.graph.traverse import DIRECTIONS, neighbourhood
from headwater.graph.when import Always, At, During, When
from headwater.ids import Micros, Node
from headwater.model.state import State
from headwater.openlineage import naming, timestamps
from headwater.openlineage.timestamps import to_datetime
from headwater.store.protocol import EventFilter

_MAX_LIMIT = 1000

Limit = Annotated[int, Parameter(ge=0, le=_MAX_LIMIT, description="How many, at the most.")]
Offset = Annotated[int, Parameter(ge=0, le=1 << 53, description="How many to pass over.")]
Depth = Annotated[int, Parameter(ge=0, le=1 << 31, description="How many jobs away, at the most.")]
NodeId = Annotated[
    str,
    Parameter(
        query="nodeId",
        description="`dataset:NAMESPACE:NAME`, `datasetField:NAMESPACE:NAME:COLUMN` or `job:NAMESPACE:NAME`.",
    ),
]
Moment = Annotated[str | None, Parameter(description="An ISO 8601 date-time.")]


def _time(name: str, text: str | None) -> Micros | None:
    if text is None:
        return None
    try:
        return timestamps.parse(text.replace(" ", "+"))  # a + that was not percent-encoded
    except (ValueError, OverflowError):
        raise BadRequest(f"{name}={text!r} is not an ISO 8601 date-time") from None


def _when(at: str | None, since: str | None, until: str | None) -> When:
    if at is not None:
        if since is not None or until is not None:
            raise BadRequest("ask for a moment with `at`, or a window with `since` and `until`, not both")
        moment = _time("at", at)
        assert moment is not None
        return At(moment)
    if since is None and until is None:
        return Always()
    return During(_time("since", since), _time("until", until))


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
    graph = neighbourhood(app.state, find_node(app.state, node_id), depth, direction, _when(at, since, until))
    return answer(await app.graphs.lineage(graph))


@get("/column-lineage", responses=says(shapes.Graph), summary="Lineage of columns")
async def get_column_lineage(
    app: App,
    node_id: NodeId,
    depth: Depth = 20,
    with_downstream: Annotated[
        bool, Parameter(query="withDownstream", description="Follow the columns down as well.")
    ] = False,
    at: Moment = None,
    since: Moment = None,
    until: Moment = None,
) -> Response[bytes]:
    when = _when(at, since, until)
    start = find_columns(app, node_id, when)
    graph = column_lineage(app.state, app.contents, start, depth, down=with_downstream, when=when)
    return answer(await app.graphs.columns(graph, when))


@get("/events/lineage", responses=says(shapes.Events), summary="The events themselves, as they were sent")
async def events(
    app: App,
    before: Moment = None,
    after: Moment = None,
    sort_direction: Annotated[str, Parameter(query="sortDirection", description="`asc` or `desc`.")] = "desc",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response[bytes]:
    if sort_direction.lower() not in ("asc", "desc"):
        raise BadRequest("sortDirection is asc or desc")
    wanted = EventFilter(
        _time("after", after), _time("before", before), sort_direction.lower() == "desc", limit, offset
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
    state = app.state
    known = _namespace(state, segment(namespace))
    nodes = [n for n in state.datasets.get(known.name, {}).values() if _is_listed(app, n)]
    nodes.sort(key=lambda n: state.nodes[n].name)
    page = [await app.history.dataset(n) for n in nodes[offset : offset + limit]]
    return answer(shapes.Datasets(len(nodes), page))


def _is_listed(app: App, node: Node) -> bool:
    state = app.state
    if state.aliases.canonical(node) != node or state.dataset_of(node).first is None:
        return False
    return not app.renderer.is_dropped(node)


@get("/namespaces/{namespace:str}/datasets/{name:str}", responses=says(shapes.Dataset), summary="One dataset")
async def dataset(app: App, namespace: str, name: str) -> Response[bytes]:
    return answer(await app.history.dataset(find_dataset(app.state, segment(namespace), segment(name))))


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


@get("/namespaces/{namespace:str}/jobs", responses=says(shapes.Jobs), summary="Jobs of a namespace")
async def jobs(app: App, namespace: str, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    known = _namespace(app.state, segment(namespace))
    names = app.state.jobs.get(known.name, {})
    page = [app.state.job_of(names[n]) for n in sorted(names)[offset : offset + limit]]
    return answer(shapes.Jobs(len(names), [await app.history.job(job) for job in page]))


@get("/jobs", responses=says(shapes.Jobs), summary="Jobs of all namespaces, the last active first")
async def all_jobs(app: App, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    state = app.state
    every = [state.job_of(node) for names in state.jobs.values() for node in names.values()]
    every.sort(key=lambda job: (-job.last, job.namespace, job.name))
    page = every[offset : offset + limit]
    return answer(shapes.Jobs(len(every), [await app.history.job(job) for job in page]))


@get("/namespaces/{namespace:str}/jobs/{name:str}", responses=says(shapes.Job), summary="One job")
async def job(app: App, namespace: str, name: str) -> Response[bytes]:
    return answer(await app.history.job(find_job(app.state, segment(namespace), segment(name))))


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
    kind: Annotated[str, Parameter(query="type", description="`run` or `job`.")] = "run",
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
