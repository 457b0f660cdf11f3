"""Jobs with their latest runs, page by page.

Most jobs of a page are as they were a moment ago, so the JSON of a job is cached until its
revision moves, which it does with every change of one of its runs.
"""

from collections.abc import Sequence
from typing import cast

import msgspec
from msgspec import Raw

from headwater.answers.facet_json import contents_shown
from headwater.answers.render import Renderer
from headwater.answers.run_json import LatestRuns, latest_runs
from headwater.caches import TwoGenerationCache
from headwater.ids import Node
from headwater.ingest.service import Service
from headwater.model.entities import Job
from headwater.shapes import marquez as shapes
from headwater.store.pages import ContentsById

_RUNS_SHOWN = 10
_CACHED_JOBS = 2_000  # of some ten kilobytes

_encode = msgspec.json.Encoder().encode


class JobPages:
    def __init__(self, renderer: Renderer, service: Service) -> None:
        self._renderer, self._service = renderer, service
        self._cache: TwoGenerationCache[Node, tuple[int, Raw]] = TwoGenerationCache(_CACHED_JOBS)

    async def page(self, jobs: Sequence[Job]) -> list[Raw]:
        """Each a `shapes.Job`. To be called when the tables have what they can have."""
        job_json = {job.node: cached for job in jobs if (cached := self._cached(job)) is not None}
        # What the tables lack, because the disk is full or because it came in since, is not shown: not to be cached.
        stale = [
            (job, None if self._service.is_unwritten(job.node) else job.revision)
            for job in jobs
            if job.node not in job_json
        ]
        if stale:
            needed = {content for job, _ in stale for content in contents_shown(job.facets).values()}
            names, service = {job.node: (job.namespace, job.name) for job, _ in stale}, self._service
            runs, contents = await service.run_query(
                latest_runs, service.tables, service.log, names, _RUNS_SHOWN, needed
            )
            self._renderer.contents.prefetched(contents)
            for job, revision in stale:
                job_json[job.node] = made = self._make(job, runs.get(job.node), contents)
                if revision == job.revision:
                    self._cache.put(job.node, (revision, made))
        return [job_json[job.node] for job in jobs]

    def _cached(self, job: Job) -> Raw | None:
        cached = self._cache.get(job.node)
        return cached[1] if cached is not None and cached[0] == job.revision else None

    def _make(self, job: Job, runs: LatestRuns | None, contents: ContentsById) -> Raw:
        answer = self._renderer.jobs.job(job.node, contents)
        if runs is not None:
            answer.latestRun = cast(shapes.Run, Raw(runs.latest)) if runs.latest is not None else None
            answer.latestRuns = cast(list[shapes.Run], Raw(runs.runs))
            answer.currentVersion = runs.version
        if answer.latestRun is None:
            answer.latestRun = self._renderer.jobs.latest_run(job)
        return Raw(_encode(answer))
