"""The routes, and nothing else: read parameters, ask, answer."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Annotated, Any

import msgspec
from litestar import Response, Router, get
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import Parameter

from headwater.api import shapes
from headwater.api.graphs import GraphWriter
from headwater.api.history import History
from headwater.api.paths import segment
from headwater.api.render import Renderer
from headwater.contents import Contents
from headwater.errors import BadRequest, NotFound
from headwater.graph.columns import Column, column_lineage, columns_of
from headwater.graph.traverse import DIRECTIONS, neighbourhood
from headwater.graph.when import Always, At, During, When
from headwater.ids import Micros, Node, split_type, splits, type_dataset, type_field, type_job, without_version
from headwater.model.entities import Dataset, Job
from headwater.model.state import State
from headwater.openlineage import naming, timestamps
from headwater.openlineage.timestamps import to_datetime
from headwater.service import Service
from headwater.store.protocol import EventFilter

_encode = msgspec.json.Encoder().encode

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


@dataclass
class App:
    """What the handlers work with."""

    service: Service
    contents: Contents
    renderer: Renderer
    history: History
    graphs: GraphWriter

    @property
    def state(self) -> State:
        return self.service.state


def _json(body: Any) -> Response[bytes]:
    return Response(body if isinstance(body, bytes) else _encode(body), media_type="application/json")


def _says(shape: Any) -> dict[int, ResponseSpec]:
    return {200: ResponseSpec(data_container=shape, description="The answer", generate_examples=False)}


# Finding what a request names


def find_job(state: State, namespace: str, name: str) -> Job:
    job = state.find_job(namespace, name)
    if job is None:
        raise _unknown("job", namespace, name, state.jobs)
    return job


def find_dataset(state: State, namespace: str, name: str) -> Node:
    """The canonical dataset behind any of its names."""
    found = state.find_dataset(*naming.canonical(namespace, name))
    if found is not None:
        node = state.aliases.canonical(found.node)
        if state.dataset_of(node).first is not None:
            return node
    raise _unknown("dataset", namespace, name, state.datasets)


def _unknown(kind: str, namespace: str, name: str, known: dict[str, dict[str, Node]]) -> NotFound:
    if namespace not in known:
        hint = _like(namespace, known, "Known namespaces like it:")
        return NotFound(f"no {kind} {name!r}: there is no namespace {namespace!r} with a {kind}.{hint}")
    return NotFound(f"no {kind} {name!r} in namespace {namespace!r}.{_like(name, known[namespace])}")


def _like(text: str, names: Iterable[str], lead: str = "Did you mean") -> str:
    # Comparing texts is slow, and a hint is worth only so much time.
    close = get_close_matches(text[:200], list(islice(names, 1000)), 3, 0.5)
    return f" {lead} {', '.join(close)}?" if close else ""


def find_node(state: State, node_id: str) -> Node:
    """A job or dataset by its node id, tried in every way in which the id can be read."""
    kind, text = _typed(node_id, (type_job, type_dataset))
    known = state.jobs if kind == type_job else state.datasets
    nearest: tuple[str, str] | None = None
    for candidate in dict.fromkeys((text, without_version(text))):
        for namespace, name in _in_namespaces(candidate, known):
            nearest = nearest or (namespace, name)
            if name in known[namespace]:
                with suppress(NotFound):
                    if kind == type_job:
                        return find_job(state, namespace, name).node
                    return find_dataset(state, namespace, name)
    raise _unknown(kind, *(nearest or next(splits(text))), known)


def _in_namespaces(text: str, known: dict[str, dict[str, Node]]) -> Iterator[tuple[str, str]]:
    """The readings of `namespace:name` whose namespace exists, in canonical spelling."""
    for namespace, name in splits(text):
        if namespace in known:
            yield namespace, name
        spelled = naming.canonical(namespace, name)
        if spelled != (namespace, name) and spelled[0] in known:
            yield spelled


def find_columns(app: App, node_id: str, when: When) -> list[Column]:
    """One column, or all columns of a dataset or of what a job writes."""
    state = app.state
    kind, text = _typed(node_id, (type_field, type_dataset, type_job))
    if kind == type_dataset:
        return columns_of(state, app.contents, find_node(state, node_id), when)
    if kind == type_job:
        job = state.job_of(find_node(state, node_id))
        written = {state.aliases.canonical(e.dst) for e in job.out if isinstance(state.nodes[e.dst], Dataset)}
        return [c for node in written for c in columns_of(state, app.contents, node, when)]
    for candidate in dict.fromkeys((text, without_version(text))):
        for namespace, rest in _in_namespaces(candidate, state.datasets):
            for name, field in splits(rest):
                name = naming.canonical(namespace, name)[1]
                if name in state.datasets[namespace]:
                    column = (find_dataset(state, namespace, name), field)
                    if column in columns_of(state, app.contents, column[0], when):
                        return [column]
    raise NotFound(f"no column {text!r}: the dataset is not known, or has no such column")


def _typed(node_id: str, kinds: tuple[str, ...]) -> tuple[str, str]:
    parts = split_type(node_id)
    if parts is None or parts[0] not in kinds or ":" not in parts[1]:
        raise BadRequest(f"nodeId {node_id!r} must look like {' or '.join(k + ':NAMESPACE:NAME' for k in kinds)}")
    return parts


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


@get("/lineage", responses=_says(shapes.Graph), summary="Lineage around a job or dataset")
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
    return _json(await app.graphs.lineage(graph))


@get("/column-lineage", responses=_says(shapes.Graph), summary="Lineage of columns")
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
    return _json(await app.graphs.columns(graph, when))


@get("/events/lineage", responses=_says(shapes.Events), summary="The events themselves, as they were sent")
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
    return _json(await app.history.events(wanted))


# The catalogue


@get("/namespaces", responses=_says(shapes.Namespaces), summary="All namespaces")
async def namespaces(app: App, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    names = sorted(app.state.namespaces)[offset : offset + limit]
    return _json(shapes.Namespaces([_namespace(app.state, name) for name in names]))


@get("/namespaces/{namespace:str}", responses=_says(shapes.Namespace), summary="One namespace")
async def namespace(app: App, namespace: str) -> Response[bytes]:
    return _json(_namespace(app.state, segment(namespace)))


def _namespace(state: State, name: str) -> shapes.Namespace:
    known = state.namespaces.get(name) or state.namespaces.get(naming.canonical(name, "x")[0])
    if known is None:
        raise NotFound(f"no namespace {name!r}.{_like(name, state.namespaces)}")
    return shapes.Namespace(known.name, to_datetime(known.first), to_datetime(known.last), "anonymous", None, False)


@get("/namespaces/{namespace:str}/datasets", responses=_says(shapes.Datasets), summary="Datasets of a namespace")
async def datasets(app: App, namespace: str, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    state = app.state
    known = _namespace(state, segment(namespace))
    nodes = [n for n in state.datasets.get(known.name, {}).values() if _is_listed(app, n)]
    nodes.sort(key=lambda n: state.nodes[n].name)
    page = [await app.history.dataset(n) for n in nodes[offset : offset + limit]]
    return _json(shapes.Datasets(len(nodes), page))


def _is_listed(app: App, node: Node) -> bool:
    state = app.state
    if state.aliases.canonical(node) != node or state.dataset_of(node).first is None:
        return False
    return not app.renderer.is_dropped(node)


@get("/namespaces/{namespace:str}/datasets/{name:str}", responses=_says(shapes.Dataset), summary="One dataset")
async def dataset(app: App, namespace: str, name: str) -> Response[bytes]:
    return _json(await app.history.dataset(find_dataset(app.state, segment(namespace), segment(name))))


@get(
    "/namespaces/{namespace:str}/datasets/{name:str}/versions",
    responses=_says(shapes.DatasetVersions),
    summary="A dataset's versions, newest first",
)
async def dataset_versions(
    app: App, namespace: str, name: str, limit: Limit = 100, offset: Offset = 0
) -> Response[bytes]:
    node = find_dataset(app.state, segment(namespace), segment(name))
    return _json(await app.history.versions(node, limit, offset))


@get("/namespaces/{namespace:str}/jobs", responses=_says(shapes.Jobs), summary="Jobs of a namespace")
async def jobs(app: App, namespace: str, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    known = _namespace(app.state, segment(namespace))
    names = app.state.jobs.get(known.name, {})
    page = [app.state.job_of(names[n]) for n in sorted(names)[offset : offset + limit]]
    return _json(shapes.Jobs(len(names), [await app.history.job(job) for job in page]))


@get("/jobs", responses=_says(shapes.Jobs), summary="Jobs of all namespaces, the last active first")
async def all_jobs(app: App, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    state = app.state
    every = [state.job_of(node) for names in state.jobs.values() for node in names.values()]
    every.sort(key=lambda job: (-job.last, job.namespace, job.name))
    page = every[offset : offset + limit]
    return _json(shapes.Jobs(len(every), [await app.history.job(job) for job in page]))


@get("/namespaces/{namespace:str}/jobs/{name:str}", responses=_says(shapes.Job), summary="One job")
async def job(app: App, namespace: str, name: str) -> Response[bytes]:
    return _json(await app.history.job(find_job(app.state, segment(namespace), segment(name))))


@get(
    "/namespaces/{namespace:str}/jobs/{name:str}/runs",
    responses=_says(shapes.Runs),
    summary="A job's runs, latest first",
)
async def runs(app: App, namespace: str, name: str, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    found = find_job(app.state, segment(namespace), segment(name))
    return _json(await app.history.runs_of_job(found, limit, offset))


@get("/jobs/runs/{run_id:str}", responses=_says(shapes.Run), summary="One run, with its history of states")
async def run(app: App, run_id: str) -> Response[bytes]:
    return _json(await app.history.run(segment(run_id)))


@get("/jobs/runs/{run_id:str}/facets", responses=_says(shapes.RunFacets), summary="Facets of a run or its job")
async def run_facets(
    app: App,
    run_id: str,
    kind: Annotated[str, Parameter(query="type", description="`run` or `job`.")] = "run",
) -> Response[bytes]:
    if kind not in ("run", "job"):
        raise BadRequest("type is run or job")
    return _json(await app.history.run_facets(segment(run_id), kind))


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
