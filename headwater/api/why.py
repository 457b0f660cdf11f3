"""`/why`: who is to blame for what a dataset, column, job or run is like at a moment."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

from litestar import Response, get
from litestar.params import Parameter

from headwater.api.context import App, answer, says
from headwater.api.finding import find_columns, find_node
from headwater.api.parameters import WITH_COLUMNS, Depth, Moment, node_parameter, time_of
from headwater.errors import BadRequest, NotFound
from headwater.graph.when import At
from headwater.ids import (
    DELETED,
    NODE_TYPES,
    Micros,
    Node,
    RunId,
    dataset_node_id,
    field_node_id,
    job_node_id,
    split_type,
    type_field,
    type_run,
    without_version,
)
from headwater.model.entities import INPUT, Job, Run
from headwater.openlineage.timestamps import parse, to_datetime
from headwater.service import now
from headwater.shapes.why import Examined, Suspect, Why
from headwater.store.protocol import Log, Tables
from headwater.why import amounts, pace, told
from headwater.why.suspects import Facts, suspects
from headwater.why.upstream import FACETS, Scope, Upstream

_DAYS_BACK = Micros(7 * pace.DAY)
_EARLIEST = parse("0001-01-01T00:00:00Z")

# The walk upward stops after so many datasets, a millisecond or two, for others to go on.
_DATASETS_PER_SLICE = 5

AnyNodeId = Annotated[str, node_parameter("nodeId", *WITH_COLUMNS, type_run)]


@get("/why", responses=says(Why), summary="Suspects upstream of something that is wrong, the likeliest first")
async def get_why(
    app: App,
    node_id: AnyNodeId,
    at: Moment = None,
    since: Moment = None,
    limit: Annotated[int, Parameter(ge=0, le=1000, description="How many suspects, at the most.")] = 20,
    depth: Depth = 20,
) -> Response[bytes]:
    asked, after = time_of("at", at), time_of("since", since)
    return answer(await _why(app, node_id, asked, after, limit, depth))


async def _why(app: App, node_id: str, asked: Micros | None, since: Micros | None, limit: int, depth: int) -> Why:
    kind = node_type(node_id, NODE_TYPES)
    run = await find_run(app, node_id.removeprefix(f"{type_run}:")) if kind == type_run else None
    at = moment_of(asked, run)
    after = since if since is not None else Micros(max(at - _DAYS_BACK, _EARLIEST))
    if after > at:
        raise BadRequest(f"since ({to_datetime(after).isoformat()}) is after at ({to_datetime(at).isoformat()})")
    upstream = Upstream(app.state, app.contents, at, depth, app.renderer.job_type, strict=kind == type_field)
    name = _begin(app, upstream, node_id, kind, run)
    for count, _ in enumerate(upstream.walk(), 1):
        if count % _DATASETS_PER_SLICE == 0:
            await asyncio.sleep(0)
    scope = upstream.scope
    await app.service.catch_up()
    found, runs = await asyncio.to_thread(judge, app.service.tables, app.service.log, scope, after, run)
    examined = Examined(len(scope.jobs), len(scope.datasets), runs)
    return Why(name, to_datetime(at), to_datetime(after), found[:limit], examined, scope.truncated)


def _begin(app: App, upstream: Upstream, node_id: str, kind: str, run: Run | None) -> str:
    """Where the walk begins; the node id in its canonical spelling."""
    state, when = app.state, At(upstream.scope.at)
    if run is not None:
        read = {Node(key >> 1) for key in run.uses if key & 1 == INPUT}
        upstream.from_job(state.job_of(run.job), read or None)
        return f"{type_run}:{run.id}"
    if kind == type_field:
        ((dataset, column),) = find_columns(app, node_id, when)
        upstream.from_dataset(dataset, {column})
        return field_node_id(state.nodes[dataset].namespace, state.nodes[dataset].name, column)
    entity = state.nodes[find_node(state, node_id, when)]
    if isinstance(entity, Job):
        upstream.from_job(entity)
        return job_node_id(entity.namespace, entity.name)
    upstream.from_dataset(entity.node, None)
    return dataset_node_id(entity.namespace, entity.name)


def node_type(node_id: str, kinds: Sequence[str]) -> str:
    kind, name = split_type(node_id) or ("", "")
    if kind not in kinds or not name:
        forms = {type_field: "NAMESPACE:NAME:COLUMN", type_run: "ID"}
        wanted = " or ".join(f"{k}:{forms.get(k, 'NAMESPACE:NAME')}" for k in kinds)
        raise BadRequest(f"nodeId {node_id!r} must look like {wanted}")
    return kind


def moment_of(asked: Micros | None, run: Run | None = None) -> Micros:
    """The moment that a question is about. Of a run that is over its end; else the present. Of
    the future nothing is known, so it is never later than the present."""
    present = now()
    if asked is None:
        ended = run.ended_at if run is not None else None
        return min(ended, present) if ended is not None else present
    return min(asked, present)


async def find_run(app: App, run_id: str) -> Run:
    await app.service.catch_up()
    for candidate in dict.fromkeys((run_id, without_version(run_id))):
        found = await app.service.ask(app.service.tables.runs, [RunId(candidate)])
        if found and found[0].first is not None:
            return found[0]
    raise NotFound(f"no run {run_id!r}")


def judge(tables: Tables, log: Log, scope: Scope, since: Micros, about: Run | None) -> tuple[list[Suspect], int]:
    """Beside the event loop: reads all that bears on the scope and draws the conclusions."""
    at = scope.at
    runs = tables.recent_runs([*scope.jobs.keys() | scope.parents.keys()], at, pace.RUNS)
    if about is not None:
        before = tables.recent_runs([about.job], about.order[0], pace.RUNS).get(about.job, [])
        runs[about.job] = [about, *(run for run in before if run.order < about.order)]
        if about.order[0] > at:
            del runs[about.job]
    unsettled = [run for some in runs.values() for run in some[:2] if pace.state_at(run, at) != "COMPLETED"]
    signs = tables.run_signs([run.row for run in unsettled], at, pace.SIGNS)
    names = {name.node: dataset.node for dataset in scope.datasets.values() for name in dataset.names}
    facts = Facts(runs, signs, tables.past_values(list(names), FACETS), names)
    contents = {
        register[2] for run in unsettled if (register := run.facets.get("errorMessage")) and register[2] != DELETED
    }
    for some in runs.values():
        contents.update(amounts.contents_of(some, at))
    for dataset in scope.datasets.values():
        contents.update(told.contents_of_interest(dataset, facts.past, since, at))
    facts.bodies = log.contents(contents)
    return suspects(scope, facts, since, about), sum(map(len, runs.values()))


why_handlers = [get_why]
