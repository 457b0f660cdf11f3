"""Jobs and their versions."""

from typing import Annotated, cast

from litestar import Response, delete, get, post, put
from litestar.params import JSONBody, QueryParameter
from msgspec import Raw

from headwater.answers.finding import find_dataset, find_job, find_namespace
from headwater.api.bodies import JobBody
from headwater.api.context import App, answer, says
from headwater.api.events import job_event, job_of_run
from headwater.api.parameters import InPath, Limit, Offset, one_of
from headwater.api.paths import segment
from headwater.api.writes import answer_written, write, write_deletion, write_tag
from headwater.errors import BadRequest, NotFound
from headwater.model.changes import Ref
from headwater.model.edited import NEVER
from headwater.model.edits import Tagged, edit
from headwater.model.entities import Job
from headwater.shapes import marquez as shapes

_PATH = "/namespaces/{namespace:str}/jobs"
RUN_STATES = ("NEW", "RUNNING", "COMPLETED", "ABORTED", "FAILED")
RunStates = Annotated[
    list[str] | None,
    QueryParameter(
        name="lastRunStates",
        description="Only jobs whose last run is in one of these states. Repeatable.",
        schema_extra={"items": {"type": "string", **one_of(*RUN_STATES)}},
    ),
]


@get(_PATH, responses=says(shapes.Jobs), summary="Jobs of a namespace, latest first")
async def jobs(
    app: App, namespace: InPath, last_run_states: RunStates = None, limit: Limit = 100, offset: Offset = 0
) -> Response[bytes]:
    name = find_namespace(app.state, segment(namespace))
    return answer(await _jobs(app, name, last_run_states, limit, offset))


@get("/jobs", responses=says(shapes.Jobs), summary="Jobs of all namespaces, latest first")
async def all_jobs(
    app: App, last_run_states: RunStates = None, limit: Limit = 100, offset: Offset = 0
) -> Response[bytes]:
    return answer(await _jobs(app, None, last_run_states, limit, offset))


async def _jobs(app: App, namespace: str | None, states: list[str] | None, limit: int, offset: int) -> shapes.Jobs:
    run_states = [state.upper() for state in states or ()]
    for state in run_states:
        if state not in RUN_STATES:
            raise BadRequest(f"lastRunStates={state!r} is not one of {', '.join(RUN_STATES)}", "lastRunStates")
    page, total = app.listing.jobs(namespace, limit, offset, run_states)
    return shapes.Jobs(total, cast(list[shapes.Job], await app.history.jobs(page)))


@get(f"{_PATH}/{{name:str}}", responses=says(shapes.Job), summary="One job")
async def job(app: App, namespace: InPath, name: InPath) -> Response[bytes]:
    return answer(await _job(app, _find(app, namespace, name)))


@put(f"{_PATH}/{{name:str}}", responses=says(shapes.Job), summary="Create or update a job")
async def put_job(app: App, namespace: InPath, name: InPath, data: JSONBody[JobBody]) -> Response[bytes]:
    known = (find_namespace(app.state, segment(namespace)), segment(name))
    run = await app.history.find_run(data.runId) if data.runId is not None else None
    if run is not None and job_of_run(app.state, run) != known:
        raise NotFound(f"job {known[1]!r} has no run {data.runId!r}")
    for dataset in (*(data.inputs or ()), *(data.outputs or ())):
        find_dataset(app.state, dataset.namespace, dataset.name)
    entity: Ref = ("job", *known)
    at = app.service.moment(after=max(app.state.edited.deletions(entity), default=NEVER))
    tags = (edit(Tagged(at=at, entity=entity, tag=tag)) for tag in data.tags or ())
    position = await write(app, job_event(at, known, data, run), *tags)
    return answer_written(position, await _job(app, find_job(app.state, *known)))


@delete(f"{_PATH}/{{name:str}}", responses=says(shapes.Job), status_code=200, summary="Delete a job")
async def delete_job(app: App, namespace: InPath, name: InPath) -> Response[bytes]:
    job = _find(app, namespace, name)
    body = await _job(app, job)
    return answer_written(await write_deletion(app, [("job", job.namespace, job.name)], job.last), body)


@get(f"{_PATH}/{{name:str}}/versions", responses=says(shapes.JobVersions), summary="A job's versions, newest first")
async def job_versions(
    app: App, namespace: InPath, name: InPath, limit: Limit = 100, offset: Offset = 0
) -> Response[bytes]:
    return answer(await app.history.job_versions(_find(app, namespace, name), limit, offset))


@get(
    f"{_PATH}/{{name:str}}/versions/{{version:str}}", responses=says(shapes.JobVersion), summary="One version of a job"
)
async def job_version(app: App, namespace: InPath, name: InPath, version: InPath) -> Response[bytes]:
    return answer(await app.history.job_version(_find(app, namespace, name), segment(version)))


@post(f"{_PATH}/{{name:str}}/tags/{{tag:str}}", responses=says(shapes.Job), status_code=200, summary="Tag a job")
async def tag_job(app: App, namespace: InPath, name: InPath, tag: InPath) -> Response[bytes]:
    return await _tag(app, _find(app, namespace, name), tag, on=True)


@delete(
    f"{_PATH}/{{name:str}}/tags/{{tag:str}}",
    responses=says(shapes.Job),
    status_code=200,
    summary="Untag a job",
)
async def untag_job(app: App, namespace: InPath, name: InPath, tag: InPath) -> Response[bytes]:
    return await _tag(app, _find(app, namespace, name), tag, on=False)


async def _tag(app: App, job: Job, tag: str, *, on: bool) -> Response[bytes]:
    position = await write_tag(app, ("job", job.namespace, job.name), None, segment(tag), on=on)
    return answer_written(position, await _job(app, job))


def _find(app: App, namespace: str, name: str) -> Job:
    return find_job(app.state, segment(namespace), segment(name))


async def _job(app: App, job: Job) -> Raw:
    (body,) = await app.history.jobs([job])
    return body


routes = (
    jobs,
    all_jobs,
    job,
    put_job,
    delete_job,
    job_versions,
    job_version,
    tag_job,
    untag_job,
)
