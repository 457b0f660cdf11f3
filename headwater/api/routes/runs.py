"""Runs, and the steps that Marquez clients report of them."""

from typing import Annotated
from urllib.parse import quote
from uuid import uuid4

from litestar import Response, get, post
from litestar.params import JSONBody, QueryParameter

from headwater.answers.finding import find_job
from headwater.api.bodies import RunBody
from headwater.api.context import App, answer, says
from headwater.api.events import job_of_run, run_event
from headwater.api.parameters import InPath, Limit, Moment, Offset, one_of, time_of
from headwater.api.paths import segment
from headwater.api.writes import answer_written, write
from headwater.errors import BadRequest, NotFound
from headwater.shapes import marquez as shapes

_PATH = "/namespaces/{namespace:str}/jobs/{name:str}/runs"


@get(_PATH, responses=says(shapes.Runs), summary="A job's runs, latest first")
async def runs(app: App, namespace: InPath, name: InPath, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    job = find_job(app.state, segment(namespace), segment(name))
    return answer(await app.history.runs_of_job(job, limit, offset))


@post(_PATH, responses=says(shapes.Run, 201), summary="Create a run in state NEW")
async def post_run(app: App, namespace: InPath, name: InPath, data: JSONBody[RunBody]) -> Response[bytes]:
    job = find_job(app.state, segment(namespace), segment(name))
    run_id = data.id if data.id is not None else str(uuid4())
    for field, text in (("nominalStartTime", data.nominalStartTime), ("nominalEndTime", data.nominalEndTime)):
        time_of(field, text)
    if data.id is not None and await _exists(app, data.id):
        raise BadRequest(f"run {data.id!r} already exists", "id")
    nominal = (data.nominalStartTime, data.nominalEndTime)
    event = run_event(app.service.moment(), "OTHER", run_id, (job.namespace, job.name), nominal, data.args)
    response = answer_written(await write(app, event), await app.history.run(run_id), 201)
    response.headers["location"] = f"/api/v1/jobs/runs/{quote(run_id, safe='')}"
    return response


async def _exists(app: App, run_id: str) -> bool:
    try:
        await app.history.find_run(run_id)
    except NotFound:
        return False
    return True


@get("/jobs/runs/{run_id:str}", responses=says(shapes.Run), summary="One run, with its history of states")
async def run(app: App, run_id: InPath) -> Response[bytes]:
    return answer(await app.history.run(segment(run_id)))


@get("/jobs/runs/{run_id:str}/facets", responses=says(shapes.RunFacets), summary="Facets of a run or its job")
async def run_facets(
    app: App,
    run_id: InPath,
    kind: Annotated[
        str,
        QueryParameter(name="type", description="Facets of the run or of its job.", schema_extra=one_of("run", "job")),
    ] = "run",
) -> Response[bytes]:
    if kind not in ("run", "job"):
        raise BadRequest("type must be run or job", "type")
    return answer(await app.history.run_facets(segment(run_id), kind))


@post("/jobs/runs/{run_id:str}/start", responses=says(shapes.Run), status_code=200, summary="Start a run")
async def start(app: App, run_id: InPath, at: Moment = None) -> Response[bytes]:
    return await _step(app, segment(run_id), "START", at)


@post("/jobs/runs/{run_id:str}/complete", responses=says(shapes.Run), status_code=200, summary="Complete a run")
async def complete(app: App, run_id: InPath, at: Moment = None) -> Response[bytes]:
    return await _step(app, segment(run_id), "COMPLETE", at)


@post("/jobs/runs/{run_id:str}/fail", responses=says(shapes.Run), status_code=200, summary="Fail a run")
async def fail(app: App, run_id: InPath, at: Moment = None) -> Response[bytes]:
    return await _step(app, segment(run_id), "FAIL", at)


@post("/jobs/runs/{run_id:str}/abort", responses=says(shapes.Run), status_code=200, summary="Abort a run")
async def abort(app: App, run_id: InPath, at: Moment = None) -> Response[bytes]:
    return await _step(app, segment(run_id), "ABORT", at)


async def _step(app: App, run_id: str, kind: str, at: str | None) -> Response[bytes]:
    moment = time_of("at", at)
    run = await app.history.find_run(run_id)
    if moment is None:
        moment = app.service.moment(after=app.state.deleted(run.job))
    position = await write(app, run_event(moment, kind, run_id, job_of_run(app.state, run)))
    return answer_written(position, await app.history.run(run_id))


routes = (runs, post_run, run, run_facets, start, complete, fail, abort)
