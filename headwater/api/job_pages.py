"""Jobs with their latest runs, page by page.

Most runs of a page are over and most jobs are as they were a moment ago. So what is shown of
them is kept: of a run until its row in the tables is another, of a job until its revision moves.
"""

import asyncio
from collections.abc import Sequence

import msgspec
from msgspec import Raw

from headwater.api.render import Renderer, job_version_uuid
from headwater.ids import ContentId, Node
from headwater.memo import Memo
from headwater.model.entities import Job
from headwater.shapes import marquez as shapes
from headwater.store.protocol import Tables
from headwater.store.rows import StoredRun, run_from

_RUNS_SHOWN = 10

# Half a kilobyte a run, and a few a job.
_RUNS_KEPT, _JOBS_KEPT = 20_000, 5_000

_encode = msgspec.json.Encoder().encode


class _Run(msgspec.Struct, frozen=True, gc=False):
    stored: StoredRun
    text: Raw
    version: str | None
    is_told: bool  # it has an event of its own


class JobPages:
    def __init__(self, renderer: Renderer, tables: Tables) -> None:
        self._renderer, self._state, self._tables = renderer, renderer.state, tables
        self._runs: Memo[int, _Run] = Memo(_RUNS_KEPT)
        self._jobs: Memo[Node, tuple[int, shapes.Job]] = Memo(_JOBS_KEPT)

    async def page(self, jobs: Sequence[Job]) -> list[shapes.Job]:
        """To be called when the tables have all that the state has."""
        stale = [job for job in jobs if not self._is_kept(job)]
        wanted = {content for job in stale for content in self._renderer.contents_shown(job.facets).values()}
        runs, bodies = await asyncio.to_thread(self._read, [job.node for job in jobs], wanted)
        self._renderer.contents.at_hand = bodies
        return [self._shown(job, runs.get(job.node, ()), bodies) for job in jobs]

    def _read(
        self, jobs: Sequence[Node], contents: set[ContentId]
    ) -> tuple[dict[Node, list[StoredRun]], dict[ContentId, bytes]]:
        return self._tables.latest_runs(jobs, _RUNS_SHOWN), self._renderer.contents.bodies(contents)

    def _is_kept(self, job: Job) -> bool:
        kept = self._jobs.get(job.node)
        return kept is not None and kept[0] == job.revision

    def _shown(self, job: Job, stored: Sequence[StoredRun], bodies: dict[ContentId, bytes]) -> shapes.Job:
        kept = self._jobs.get(job.node)
        if kept is None or kept[0] != job.revision:
            kept = self._jobs.put(job.node, (job.revision, self._renderer.job(job.node, bodies)))
        versions = {one.version for one in stored if one.version is not None}
        named = {version: job_version_uuid(job, version) for version in versions}
        runs = [self._run(job, one, named) for one in stored]
        latest = next((run.text for run in runs if run.is_told), None) or self._renderer.latest_run(job)
        version = next((run.version for run in runs if run.version is not None), None)
        texts = [run.text for run in runs]
        return msgspec.structs.replace(kept[1], latestRun=latest, latestRuns=texts, currentVersion=version)

    def _run(self, job: Job, stored: StoredRun, versions: dict[int, str]) -> _Run:
        kept = self._runs.get(stored.row)
        if kept is not None and kept.stored == stored:
            return kept
        run = run_from(stored, [])
        shown = self._renderer.run(run)
        version = None if stored.version is None else versions[stored.version]
        if version is not None:
            shown.jobVersion = shapes.VersionName(job.namespace, job.name, version)
        return self._runs.put(stored.row, _Run(stored, Raw(_encode(shown)), version, run.first is not None))
