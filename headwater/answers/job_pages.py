"""Jobs with their latest runs, page by page.

Most jobs of a page are as they were a moment ago, so what is shown of a job is kept until its
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
_KEPT = 2_000  # of some ten kilobytes

_encode = msgspec.json.Encoder().encode


class JobPages:
    def __init__(self, renderer: Renderer, service: Service) -> None:
        self._renderer, self._service = renderer, service
        self._kept: TwoGenerationCache[Node, tuple[int, Raw]] = TwoGenerationCache(_KEPT)

    async def page(self, jobs: Sequence[Job]) -> list[Raw]:
        """Each a `shapes.Job`. To be called when the tables have what they can have."""
        texts = {node: text for job in jobs if (text := self._known(job)) is not None for node in (job.node,)}
        # What the tables lack, because the disk is full or because it came in since, is not shown: not to be kept.
        stale = [
            (job, None if self._service.is_unwritten(job.node) else job.revision)
            for job in jobs
            if job.node not in texts
        ]
        if stale:
            contents = {content for job, _ in stale for content in contents_shown(job.facets).values()}
            names, service = {job.node: (job.namespace, job.name) for job, _ in stale}, self._service
            runs, bodies = await service.run_query(
                latest_runs, service.tables, service.log, names, _RUNS_SHOWN, contents
            )
            self._renderer.contents.prefetched(bodies)
            for job, revision in stale:
                texts[job.node] = text = self._shown(job, runs.get(job.node), bodies)
                if revision == job.revision:
                    self._kept.put(job.node, (revision, text))
        return [texts[job.node] for job in jobs]

    def _known(self, job: Job) -> Raw | None:
        kept = self._kept.get(job.node)
        return kept[1] if kept is not None and kept[0] == job.revision else None

    def _shown(self, job: Job, runs: LatestRuns | None, bodies: ContentsById) -> Raw:
        answer = self._renderer.jobs.job(job.node, bodies)
        if runs is not None:
            answer.latestRun = cast(shapes.Run, Raw(runs.latest)) if runs.latest is not None else None
            answer.latestRuns = cast(list[shapes.Run], Raw(runs.runs))
            answer.currentVersion = runs.version
        if answer.latestRun is None:
            answer.latestRun = self._renderer.jobs.latest_run(job)
        return Raw(_encode(answer))
