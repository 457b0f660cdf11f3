"""Which jobs are late and which runs are stuck, among the jobs that were active last.

What is due from a job changes only with its runs, so it is cached until the job's revision moves, and an answer
compares moments.
"""

from collections.abc import Mapping
from typing import NamedTuple

from headwater.answers.listing import Listing
from headwater.answers.render import Renderer
from headwater.answers.run_json import run_summary
from headwater.caches import TwoGenerationCache
from headwater.ids import Micros, Node, job_node_id
from headwater.ingest.service import Service
from headwater.model.entities import Job
from headwater.openlineage.timestamps import now, to_datetime
from headwater.shapes.common import RunSummary
from headwater.shapes.late import Late, LateJob, StuckJob
from headwater.shapes.why import SuspectKind
from headwater.store.protocol import Tables
from headwater.store.rows import run_from
from headwater.why import pace

_CACHED_JOBS = 4_000

_STATES_WITH_NEXT_RUN = ("COMPLETED", "NEW")


class JobExpected(NamedTuple):
    expected: pace.Expected
    run: RunSummary


def expected_of_jobs(tables: Tables, kinds: Mapping[Node, str], at: Micros) -> dict[Node, JobExpected]:
    """What is due from jobs, given with their kinds. For the readers of the store."""
    runs = {
        job: pace.seen([run for one in stored if (run := run_from(one, [])).order[0] <= at])
        for job, stored in tables.latest_runs(list(kinds), pace.RUNS).items()
    }
    running = [some[0].row for some in runs.values() if some and pace.state_at(some[0], at) == "RUNNING"]
    signs = tables.run_signs(running, at, pace.SIGNS)
    answer: dict[Node, JobExpected] = {}
    for job, some in runs.items():
        expected = pace.expected(kinds[job], some, signs, at) if some else None
        if expected is not None:
            answer[job] = JobExpected(expected, run_summary(some[0], at))
    return answer


class LateFinder:
    def __init__(self, service: Service, renderer: Renderer, listing: Listing) -> None:
        self._service, self._renderer, self._listing = service, renderer, listing
        self._cache: TwoGenerationCache[Node, tuple[int, JobExpected | None]] = TwoGenerationCache(_CACHED_JOBS)

    async def late(self, limit: int) -> Late:
        """`limit`: how many running jobs, and how many others, are examined."""
        at = now()
        running, _ = self._listing.jobs(None, limit, 0, ("RUNNING",))
        idle, _ = self._listing.jobs(None, limit, 0, _STATES_WITH_NEXT_RUN)
        jobs = [*running, *idle]
        expected = await self._expected(jobs, at)
        answer = Late(to_datetime(at), [], [], len(jobs))
        for job in jobs:
            due = expected.get(job.node)
            if due is not None and at > due.expected.until:
                if due.expected.kind == SuspectKind.RUN_LATE:
                    answer.late.append(_late_job(job, due))
                else:
                    answer.stuck.append(_stuck_job(job, due))
        answer.late.sort(key=lambda one: one.expectedAt)
        answer.stuck.sort(key=lambda one: one.lastEventAt)
        return answer

    async def _expected(self, jobs: list[Job], at: Micros) -> dict[Node, JobExpected]:
        service = self._service
        await service.catch_up(job.node for job in jobs)
        answer: dict[Node, JobExpected] = {}
        stale: list[tuple[Job, int | None]] = []
        for job in jobs:
            cached = self._cache.get(job.node)
            if cached is None or cached[0] != job.revision:
                # Not to be cached: what the tables lack, and what depends on the moment because it lies ahead.
                final = not service.is_unwritten(job.node) and job.last <= at
                stale.append((job, job.revision if final else None))
            elif cached[1] is not None:
                answer[job.node] = cached[1]
        if stale:
            kinds = {job.node: self._renderer.jobs.job_type(job) for job, _ in stale}
            fresh = await service.run_query(expected_of_jobs, service.tables, kinds, at)
            answer |= fresh
            for job, revision in stale:
                if revision == job.revision:
                    self._cache.put(job.node, (revision, fresh.get(job.node)))
        return answer


def _late_job(job: Job, due: JobExpected) -> LateJob:
    assert due.expected.every is not None
    return LateJob(
        *_name(job),
        run=due.run,
        expectedAt=to_datetime(due.expected.since),
        everySeconds=due.expected.every / pace.SECOND,
    )


def _stuck_job(job: Job, due: JobExpected) -> StuckJob:
    every, takes = due.expected.every, due.expected.takes
    return StuckJob(
        *_name(job),
        run=due.run,
        lastEventAt=to_datetime(due.expected.since),
        everySeconds=None if every is None else every / pace.SECOND,
        usualSeconds=None if takes is None else takes / pace.SECOND,
    )


def _name(job: Job) -> tuple[str, str, str, str]:
    return job_node_id(job.namespace, job.name), "JOB", job.namespace, job.name
