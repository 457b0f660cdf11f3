"""Answers that need the tables: runs with their datasets and facets, versions, events."""

from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from uuid import UUID

from msgspec import Raw

from headwater.answers.dataset_pages import DatasetPages
from headwater.answers.job_pages import JobPages
from headwater.answers.render import Renderer
from headwater.answers.run_json import job_version_uuid, moment, uuid_text
from headwater.answers.run_versions import DatasetVersionUse, versions_read, versions_written
from headwater.errors import NotFound
from headwater.facet_contents import Contents
from headwater.ids import DELETED, ContentId, Micros, Node, RunId
from headwater.ingest.service import Service
from headwater.interpret.datasets import SCHEMAS
from headwater.model.entities import OUTPUT, Job, Register, Run
from headwater.model.versions import Version, version_uuid
from headwater.openlineage.event import EventType, stamp_time
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes import marquez as shapes
from headwater.store import pages
from headwater.store.protocol import EventFilter, JobVersion
from headwater.store.rows import job_version, run_from


class History:
    def __init__(self, service: Service, contents: Contents, renderer: Renderer) -> None:
        self._service, self._contents, self._renderer = service, contents, renderer
        self._ask, self._tables, self._log = service.run_query, service.tables, service.log
        self._job_pages, self._dataset_pages = JobPages(renderer, service), DatasetPages(renderer, service)

    # Runs

    async def run(self, run_id: str) -> shapes.Run:
        await self._service.catch_up()
        runs, contents = await self._ask(pages.runs, self._tables, self._log, [RunId(run_id)])
        if not runs:
            raise NotFound(f"no run {run_id!r}")
        history = await self._ask(self._tables.run_history, runs[0].row)
        (answer,) = await self._full_runs(runs, contents)
        answer.states = [
            shapes.RunState(EventType(kind).name, to_datetime(at), position) for position, at, kind in history
        ]
        return answer

    async def latest_run_facets(self, jobs: Sequence[Job], name: str) -> dict[Node, tuple[Micros, bytes]]:
        """One facet of each job's latest run, where it has it, and when it was reported."""
        await self._service.catch_up(job.node for job in jobs)
        stored = await self._ask(self._tables.latest_runs, [job.node for job in jobs], 1)
        registers = {
            node: register for node, runs in stored.items() if (register := run_from(runs[0], []).facets.get(name))
        }
        contents = await self._ask(self._log.contents, {register[2] for register in registers.values()} - {DELETED})
        return {
            node: (stamp_time(register[0]), contents[register[2]])
            for node, register in registers.items()
            if register[2] in contents
        }

    async def find_run(self, run_id: str) -> Run:
        return await self._find(run_id)

    async def run_facets(self, run_id: str, kind: str) -> shapes.RunFacets:
        run = await self._find(run_id)
        registers = run.facets if kind == "run" else self._service.state.job_of(run.job).facets
        return shapes.RunFacets(run.id, self._renderer.shown_facets(registers))

    async def _find(self, run_id: str) -> Run:
        await self._service.catch_up()
        runs = await self._ask(self._tables.runs, [RunId(run_id)])
        if not runs:
            raise NotFound(f"no run {run_id!r}")
        return runs[0]

    async def runs_of_job(self, job: Job, limit: int, offset: int) -> shapes.Runs:
        await self._service.catch_up([job.node])
        runs, contents = await self._ask(pages.runs_of_job, self._tables, self._log, job.node, limit, offset)
        return shapes.Runs(await self._full_runs(runs, contents), job.runs + job.named)

    async def _full_runs(self, runs: list[Run], contents: pages.ContentsById) -> list[shapes.Run]:
        """With what they used. However many they are, the tables and the log are queried a few times only."""
        state = self._service.state
        used = {Node(key >> 1) for run in runs for key in run.uses}
        await self._service.catch_up(member for node in used for member in state.aliases.members(node))
        read = await versions_read(self._service, runs)
        answers = []
        for run in runs:
            answer = self._renderer.jobs.run(run)
            version = job_version(state, run)
            if version is not None:
                job = state.job_of(run.job)
                name = job.namespace, job.name
                answer.jobVersion = shapes.VersionName(*name, job_version_uuid(*name, version))
            answer.facets = self._renderer.shown_facets(run.facets, contents)
            answer.inputDatasetVersions = [self._used(one, contents) for one in read[run.row]]
            answer.outputDatasetVersions = [self._used(one, contents) for one in versions_written(state, run)]
            answers.append(answer)
        return answers

    def _used(self, used: DatasetVersionUse, contents: dict[ContentId, bytes]) -> shapes.UsedVersion:
        shown = self._service.state.dataset_of(used.dataset)
        name = shapes.VersionName(shown.namespace, shown.name, uuid_text(used.uuid))
        return shapes.UsedVersion(name, self._renderer.shown_facets(used.use.facets, contents))

    # Jobs and datasets with what only the tables know

    async def jobs(self, page: list[Job]) -> list[Raw]:
        await self._service.catch_up(job.node for job in page)
        return await self._job_pages.page(page)

    async def job_versions(self, job: Job, limit: int, offset: int) -> shapes.JobVersions:
        await self._service.catch_up([job.node])
        versions = await self._ask(self._tables.job_versions, job.node)
        return shapes.JobVersions(await self._job_versions(job, versions[offset : offset + limit]))

    async def job_version(self, job: Job, version: str) -> shapes.JobVersion:
        await self._service.catch_up([job.node])
        versions = await self._ask(self._tables.job_versions, job.node)
        matching = [
            each for each in versions if job_version_uuid(job.namespace, job.name, each.version) == version.lower()
        ]
        if not matching:
            raise NotFound(f"job {job.name!r} has no version {version!r}")
        return (await self._job_versions(job, matching))[0]

    async def _job_versions(self, job: Job, versions: list[JobVersion]) -> list[shapes.JobVersion]:
        state = self._service.state
        rows = [each.latest_run for each in versions]
        runs, contents = await self._ask(pages.runs_by_row, self._tables, self._log, rows)
        latest = await self._full_runs(runs, contents)
        data = self._renderer.jobs.data(job.node, shapes.JobData)
        answer = []
        for each, run, full in zip(versions, runs, latest, strict=True):
            version = job_version_uuid(job.namespace, job.name, each.version)
            shown = [key for key in run.uses if not state.is_hidden(Node(key >> 1))]
            answer.append(
                shapes.JobVersion(
                    id=shapes.VersionName(job.namespace, job.name, version),
                    name=job.name,
                    createdAt=to_datetime(each.first),
                    version=version,
                    namespace=job.namespace,
                    location=data.location,
                    inputs=self._renderer.jobs.dataset_names(Node(key >> 1) for key in shown if key & 1 != OUTPUT),
                    outputs=self._renderer.jobs.dataset_names(Node(key >> 1) for key in shown if key & 1 == OUTPUT),
                    latestRun=full,
                )
            )
        return answer

    async def datasets(self, page: list[Node]) -> list[shapes.Dataset]:
        return await self._dataset_pages.page(page)

    async def versions(self, node: Node, limit: int, offset: int) -> shapes.DatasetVersions:
        members = self._service.state.aliases.members(node)
        await self._service.catch_up(members)
        versions, runs, total = await self._ask(pages.versions, self._tables, members, limit, offset)
        data = self._renderer.datasets.data(node, shapes.DatasetVersion)
        return shapes.DatasetVersions([self._version(node, data, v, runs.get(v.run or 0)) for v in versions], total)

    async def version(self, node: Node, version: str) -> shapes.DatasetVersion:
        """By its id, or by what the `version` facet calls it."""
        members = self._service.state.aliases.members(node)
        await self._service.catch_up(members)
        candidates = [version_uuid(self._service.state.dataset_of(m), version, ContentId(0), None) for m in members]
        with suppress(ValueError):
            candidates.append(UUID(version).bytes)
        for uuid in candidates:
            stored = await self._ask(self._tables.version, uuid)
            if stored is not None and stored.dataset in members:
                runs = await self._ask(self._tables.runs_by_row, [stored.run] if stored.run is not None else [])
                data = self._renderer.datasets.data(node, shapes.DatasetVersion)
                return self._version(node, data, stored, runs[0] if runs else None)
        name = self._service.state.dataset_of(node).name
        raise NotFound(f"dataset {name!r} has no version {version!r}")

    def _version(
        self, node: Node, data: shapes.DatasetVersion, version: Version, run: Run | None
    ) -> shapes.DatasetVersion:
        """One of its versions; `data` is what all of them have in common."""
        answer = copy(data)
        answer.version = version.version or uuid_text(version.uuid)
        answer.currentVersion = uuid_text(version.uuid)
        answer.createdAt = moment(version.written if version.written is not None else version.first)
        answer.createdByRun = self._renderer.jobs.run(run) if run else None
        answer.lifecycleState = answer.lastLifecycleState
        if version.schema:
            answer.fields = self._renderer.datasets.fields_of(node, version.schema)
            answer.facets = {"schema": Raw(self._contents.content(version.schema))}
            answer.currentSchemaVersion = _schema_uuid(version.schema)
        return answer

    async def past_schemas(self, datasets: list[Node]) -> dict[Node, list[tuple[str, Register]]]:
        """Schemas that were reported before."""
        await self._service.catch_up()
        return await self._ask(self._tables.past_values, datasets, SCHEMAS)

    # Events

    async def events(self, events_filter: EventFilter) -> shapes.Events:
        await self._service.catch_up()
        total, stored = await self._ask(pages.events, self._tables, self._log, events_filter)
        return shapes.Events(total, [Raw(event.body) for event in stored])


def _schema_uuid(schema: ContentId) -> str:
    return str(UUID(int=schema & (1 << 64) - 1))
