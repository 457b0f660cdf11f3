"""Connectors of Kafka Connect: how they are, and what may be done to them.

Whoever changes something says who they are. As a browser sends no header of ours to another site unless that site
allows it, nobody's page can do it in somebody's name either.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from litestar import Response, delete, get, post, put
from litestar.params import HeaderParameter, JSONBody, PathParameter, QueryParameter

from headwater.api.bodies import ConfigBody, ConnectorBody
from headwater.api.context import App, answer, says
from headwater.api.events import operation_event
from headwater.api.parameters import InPath
from headwater.api.paths import segment
from headwater.api.writes import answer_written, write
from headwater.connect.operate import CLASS, Operator
from headwater.connect.rest import ConnectRestError
from headwater.errors import BadRequest, ConnectFailed, Problem
from headwater.ids import job_node_id
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes import connect as shapes

Work = Callable[[], Awaitable[None]]
_FACET = "headwater_connect"
_PATH = "/connect/clusters/{cluster:str}"
_CONNECTOR = f"{_PATH}/connectors/{{name:str}}"
_LONGEST_NAME = 200

User = Annotated[
    str | None,
    HeaderParameter(name="Headwater-User", description="Who makes the change; recorded in the log."),
]


class _Topic(msgspec.Struct):
    messagesPerSecond: float | None = None
    lag: int | None = None


class _Flow(msgspec.Struct):
    topics: dict[str, _Topic] = {}


# Looking


@get("/connect/clusters", responses=says(shapes.ConnectClusters), summary="Kafka Connect clusters")
async def clusters(app: App) -> Response[bytes]:
    answers = await asyncio.gather(*(each.about() for each in app.clusters))
    return answer(shapes.ConnectClusters(list(answers), app.clusters.allowed))


@get("/connect/connectors", responses=says(shapes.Connectors), summary="Connectors of all clusters")
async def all_connectors(app: App) -> Response[bytes]:
    return answer(await _connectors(app, list(app.clusters)))


@get(f"{_PATH}/connectors", responses=says(shapes.Connectors), summary="Connectors of a cluster")
async def connectors(app: App, cluster: InPath) -> Response[bytes]:
    return answer(await _connectors(app, [app.clusters.find(segment(cluster))]))


async def _connectors(app: App, operators: list[Operator]) -> shapes.Connectors:
    answers = await asyncio.gather(*(each.connectors() for each in operators), return_exceptions=True)
    connectors: list[shapes.Connector] = []
    problems = {}
    for each, each_answer in zip(operators, answers, strict=True):
        if isinstance(each_answer, ConnectRestError):
            problems[each.name] = str(each_answer)
        elif isinstance(each_answer, BaseException):
            raise each_answer
        else:
            connectors += each_answer
    await _join(app, connectors)
    return shapes.Connectors(connectors, problems)


@get(_CONNECTOR, responses=says(shapes.ConnectorDetails), summary="One connector: tasks, configuration, offsets")
async def connector(app: App, cluster: InPath, name: InPath) -> Response[bytes]:
    operator = app.clusters.find(segment(cluster))
    with _as_errors():
        details = await operator.details(segment(name))
    await _join(app, [details])
    return answer(details)


@get(f"{_PATH}/plugins", responses=says(shapes.ConnectorPlugins), summary="Connector classes of a cluster")
async def plugins(app: App, cluster: InPath) -> Response[bytes]:
    with _as_errors():
        return answer(shapes.ConnectorPlugins(await app.clusters.find(segment(cluster)).plugins()))


@post(
    f"{_PATH}/validate",
    responses=says(shapes.ConfigCheck),
    status_code=200,
    summary="What a connector's class says of a configuration; nothing is changed",
)
async def validate(app: App, cluster: InPath, data: JSONBody[ConnectorBody]) -> Response[bytes]:
    with _as_errors():
        return answer(await _check(app.clusters.find(segment(cluster)), data.config, data.name))


# Changing


@post(f"{_PATH}/connectors", responses=says(shapes.Operation, 201), summary="Create a connector")
async def create(app: App, cluster: InPath, data: JSONBody[ConnectorBody], user: User = None) -> Response[bytes]:
    operator, by = app.clusters.to_change(segment(cluster)), _who(user)
    if not data.name:
        raise BadRequest("a name is required", "name")
    with _as_errors():
        _raise_problems(await _check(operator, data.config, data.name))
    name, config = data.name, data.config

    def make() -> Awaitable[None]:
        return operator.create(name, config)

    response = await _operate(app, operator, name, "create", by, make, className=config[CLASS])
    response.status_code = 201
    place = "/".join(quote(part, safe="") for part in ("connect", "clusters", operator.name, "connectors", name))
    response.headers["location"] = f"/api/v1/{place}"
    return response


@put(f"{_CONNECTOR}/config", responses=says(shapes.Operation), summary="Update a connector's configuration")
async def configure(
    app: App, cluster: InPath, name: InPath, data: JSONBody[ConfigBody], user: User = None
) -> Response[bytes]:
    operator, by, of = app.clusters.to_change(segment(cluster)), _who(user), segment(name)
    with _as_errors():
        _raise_problems(await _check(operator, data.config, of))
    return await _operate(app, operator, of, "configure", by, lambda: operator.configure(of, data.config))


@put(f"{_CONNECTOR}/pause", responses=says(shapes.Operation), summary="Pause a connector")
async def pause(app: App, cluster: InPath, name: InPath, user: User = None) -> Response[bytes]:
    return await _act(app, cluster, name, "pause", user)


@put(f"{_CONNECTOR}/resume", responses=says(shapes.Operation), summary="Resume a connector")
async def resume(app: App, cluster: InPath, name: InPath, user: User = None) -> Response[bytes]:
    return await _act(app, cluster, name, "resume", user)


@put(f"{_CONNECTOR}/stop", responses=says(shapes.Operation), summary="Stop a connector; offsets stay")
async def stop(app: App, cluster: InPath, name: InPath, user: User = None) -> Response[bytes]:
    return await _act(app, cluster, name, "stop", user)


@put(f"{_CONNECTOR}/restart", responses=says(shapes.Operation), summary="Restart a connector with its tasks")
async def restart(
    app: App,
    cluster: InPath,
    name: InPath,
    only_failed: Annotated[bool, QueryParameter(name="onlyFailed", description="Only failed tasks.")] = False,
    user: User = None,
) -> Response[bytes]:
    return await _act(app, cluster, name, "restart", user, only_failed=only_failed)


async def _act(
    app: App, cluster: str, name: str, action: str, user: str | None, *, only_failed: bool = False
) -> Response[bytes]:
    operator, by, of = app.clusters.to_change(segment(cluster)), _who(user), segment(name)
    more = {"onlyFailed": True} if only_failed else {}
    return await _operate(
        app, operator, of, action, by, lambda: operator.act(of, action, only_failed=only_failed), **more
    )


@put(f"{_CONNECTOR}/tasks/{{task:str}}/restart", responses=says(shapes.Operation), summary="Restart one task")
async def restart_task(
    app: App,
    cluster: InPath,
    name: InPath,
    task: Annotated[str, PathParameter(description="Its number.", schema_extra={"pattern": "^[0-9]{1,9}$"})],
    user: User = None,
) -> Response[bytes]:
    if not re.fullmatch("[0-9]{1,9}", task):
        raise BadRequest(f"task {task!r} is not a task number", "task")
    number = int(task)
    operator, by, of = app.clusters.to_change(segment(cluster)), _who(user), segment(name)
    return await _operate(app, operator, of, "restart", by, lambda: operator.restart_task(of, number), task=number)


@delete(_CONNECTOR, responses=says(shapes.Operation), status_code=200, summary="Delete a connector; its job stays")
async def delete_connector(app: App, cluster: InPath, name: InPath, user: User = None) -> Response[bytes]:
    operator, by, of = app.clusters.to_change(segment(cluster)), _who(user), segment(name)
    return await _operate(app, operator, of, "delete", by, lambda: operator.delete(of))


def _who(user: str | None) -> str:
    name = (user or "").strip()
    if not name or len(name) > _LONGEST_NAME:
        raise BadRequest("the header Headwater-User is required: your name", "Headwater-User")
    return name


async def _check(operator: Operator, config: dict[str, str], name: str | None) -> shapes.ConfigCheck:
    if not config.get(CLASS):
        raise BadRequest("is required: the connector's class", f"config.{CLASS}")
    return await operator.check(config, name)


def _raise_problems(check: shapes.ConfigCheck) -> None:
    problems = [Problem(f"config.{field.name}", text) for field in check.fields for text in field.errors]
    if problems:
        text = "; ".join(f"{problem.path.removeprefix('config.')}: {problem.message}" for problem in problems)
        raise ConnectFailed(f"the configuration is not valid: {text}", 400, problems)


async def _operate(
    app: App, operator: Operator, name: str, action: str, by: str, work: Work, **facts: Any
) -> Response[bytes]:
    """To its end, also when the client leaves: what is done must be in the log."""
    running = asyncio.ensure_future(_logged(app, operator, name, action, by, work, facts))
    _running.add(running)
    running.add_done_callback(_running.discard)
    return await asyncio.shield(running)


_running: set[asyncio.Future[Response[bytes]]] = set()


async def _logged(
    app: App, operator: Operator, name: str, action: str, by: str, work: Work, facts: dict[str, Any]
) -> Response[bytes]:
    job = (operator.name, name)

    async def log_outcome(outcome: str, **more: Any) -> int:
        return await write(app, operation_event(app.service.moment(), job, action, by, outcome, **facts, **more))

    # Nothing is done that the log cannot take. But an unknown name must not become a job because somebody asks for it.
    is_known = app.state.find_job(*job) is not None
    if is_known:
        await log_outcome("ASKED")
    try:
        with _as_errors():
            await work()
    except ConnectFailed as e:
        if is_known:
            await log_outcome("REFUSED", reason=str(e))
        raise
    position = await log_outcome("DONE")
    at = to_datetime(app.service.moment())
    return answer_written(position, shapes.Operation(action, operator.name, name, by, at))


async def _join(app: App, connectors: Iterable[shapes.Connector]) -> None:
    """With the graph: the connector's job, and what its watcher reported of its topics."""
    jobs = {
        job.node: (each, job) for each in connectors if (job := app.state.find_job(each.cluster, each.name)) is not None
    }
    facets = await app.history.latest_run_facets([job for _, job in jobs.values()], _FACET)
    for node, (each, job) in jobs.items():
        each.nodeId = job_node_id(job.namespace, job.name)
        if node in facets:
            at, body = facets[node]
            try:
                flow = msgspec.json.decode(body, type=_Flow)
            except msgspec.MsgspecError:
                continue  # anybody can send a facet of that name
            each.flow = [
                shapes.TopicFlow(topic, f.messagesPerSecond, f.lag) for topic, f in sorted(flow.topics.items())
            ]
            each.flowAt = to_datetime(at)


@contextmanager
def _as_errors() -> Iterator[None]:
    try:
        yield
    except ConnectRestError as e:
        raise ConnectFailed(str(e), e.status) from None


routes = (
    clusters,
    all_connectors,
    connectors,
    connector,
    plugins,
    validate,
    create,
    configure,
    pause,
    resume,
    stop,
    restart,
    restart_task,
    delete_connector,
)
