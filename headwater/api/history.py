"""Answers that need the tables: runs with their datasets and facets, versions, events."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar
from uuid import UUID

from msgspec import Raw

from headwater.api.render import Renderer, moment, uuid_text
from headwater.contents import Contents
from headwater.errors import NotFound, StoreUnavailable
from headwater.ids import ContentId, Micros, Node, RunId
from headwater.interpret.datasets import SCHEMAS
from headwater.model.entities import OUTPUT, Dataset, Job, Register, Run, Use
from headwater.model.versions import Version, version_uuid
from headwater.openlineage.event import EventType, content_id
from headwater.openlineage.timestamps import to_datetime
from headwater.service import Service
from headwater.shapes import marquez as shapes
from headwater.store.protocol import EventFilter, JobVersion
from headwater.store.rows import job_version

P = ParamSpec("P")
T = TypeVar("T")


class History:
    def __init__(self, service: Service, contents: Contents, renderer: Renderer) -> None:
        self._service, self._contents, self._renderer = service, contents, renderer

    async def _catch_up(self) -> None:
        """The tables get all that was accepted before; once for a request. While the disk takes
        nothing, an answer of some seconds ago is better than none."""
        with suppress(StoreUnavailable):
            await self._service.write_tables()

    async def _ask(self, question: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Asks the tables in a thread."""
        return await asyncio.to_thread(question, *args, **kwargs)

    # Runs

    async def run(self, run_id: str) -> shapes.Run:
        run = await self._find(run_id)
        history = await self._ask(self._service.tables.run_history, run.row)
        answer = (await self._full_runs([run]))[0]
        answer.states = [
            shapes.RunState(EventType(kind).name, to_datetime(at), position) for position, at, kind in history
        ]
        return answer

    async def find_run(self, run_id: str) -> Run:
        return await self._find(run_id)

    async def run_facets(self, run_id: str, kind: str) -> shapes.RunFacets:
        run = await self._find(run_id)
        registers = run.facets if kind == "run" else self._service.state.job_of(run.job).facets
        return shapes.RunFacets(run.id, self._renderer.facet_bodies(registers))

    async def _find(self, run_id: str) -> Run:
        await self._catch_up()
        runs = await self._ask(self._service.tables.runs, [RunId(run_id)])
        if not runs:
            raise NotFound(f"no run {run_id!r}")
        return runs[0]

    async def runs_of_job(self, job: Job, limit: int, offset: int) -> shapes.Runs:
        await self._catch_up()
        runs = await self._ask(self._service.tables.runs_of_job, job.node, limit, offset)
        return shapes.Runs(await self._full_runs(runs), job.runs + job.named)

    async def _full_runs(self, runs: list[Run]) -> list[shapes.Run]:
        return [await self._full_run(run) for run in runs]

    async def _full_run(self, run: Run) -> shapes.Run:
        answer = self._run(run)
        answer.facets = self._renderer.facet_bodies(run.facets)
        for key, use in run.uses.items():
            dataset = self._service.state.dataset_of(Node(key >> 1))
            facets = self._renderer.facet_bodies(use.facets)
            if key & 1 == OUTPUT:
                for version_id in _written(run, dataset, use):
                    answer.outputDatasetVersions.append(self._used(dataset, version_id, facets))
            else:
                version_id = await self._read_version(dataset, use)
                answer.inputDatasetVersions.append(self._used(dataset, version_id, facets))
        return answer

    def _run(self, run: Run) -> shapes.Run:
        answer = self._renderer.run(run)
        version = job_version(self._service.state, run)
        if version is not None:
            job = self._service.state.job_of(run.job)
            answer.jobVersion = shapes.VersionName(job.namespace, job.name, job_version_uuid(job, version))
        return answer

    def _used(self, dataset: Dataset, version: bytes, facets: dict[str, Raw]) -> shapes.UsedVersion:
        shown = self._service.state.dataset_of(self._service.state.aliases.canonical(dataset.node))
        return shapes.UsedVersion(shapes.VersionName(shown.namespace, shown.name, uuid_text(version)), facets)

    async def _read_version(self, dataset: Dataset, use: Use) -> bytes:
        """What a run read: the version it named, else the newest one at that time."""
        version, schema, _, _ = max(use.told(), key=lambda told: told[3])
        if version:
            return version_uuid(dataset, version, schema, None)
        members = self._service.state.aliases.members(dataset.node)
        newest = await self._newest_version(members, use.first)
        return newest.uuid if newest else version_uuid(dataset, "", schema, None)

    async def _newest_version(self, members: tuple[Node, ...], at: Micros | None) -> Version | None:
        found = await self._ask(self._service.tables.current_versions, members, at)
        return max(found.values(), key=lambda v: v.first, default=None)

    # Jobs and datasets with what only the tables know

    async def jobs(self, page: list[Job]) -> list[shapes.Job]:
        await self._catch_up()
        return [await self._job(job) for job in page]

    async def _job(self, job: Job) -> shapes.Job:
        runs = await self._ask(self._service.tables.runs_of_job, job.node, 10, 0)
        latest = [self._run(run) for run in runs]
        current = next((run.jobVersion.version for run in latest if run.jobVersion is not None), None)
        answer = self._renderer.job(job.node, latest, current)
        answer.latestRun = next((run for run in latest if run.createdAt is not None), answer.latestRun)
        return answer

    async def job_versions(self, job: Job, limit: int, offset: int) -> shapes.JobVersions:
        await self._catch_up()
        found = await self._ask(self._service.tables.job_versions, job.node)
        return shapes.JobVersions(await self._job_versions(job, found[offset : offset + limit]))

    async def job_version(self, job: Job, version: str) -> shapes.JobVersion:
        await self._catch_up()
        found = await self._ask(self._service.tables.job_versions, job.node)
        wanted = [each for each in found if job_version_uuid(job, each.version) == version.lower()]
        if not wanted:
            raise NotFound(f"job {job.name!r} has no version {version!r}")
        return (await self._job_versions(job, wanted))[0]

    async def _job_versions(self, job: Job, found: list[JobVersion]) -> list[shapes.JobVersion]:
        state = self._service.state
        runs = await self._ask(self._service.tables.runs_by_row, [each.latest_run for each in found])
        data = self._renderer.job_data(job.node, shapes.JobData)
        answer = []
        for each, run in zip(found, runs, strict=True):
            version = job_version_uuid(job, each.version)
            shown = [key for key in run.uses if not state.is_hidden(Node(key >> 1))]
            answer.append(
                shapes.JobVersion(
                    id=shapes.VersionName(job.namespace, job.name, version),
                    name=job.name,
                    createdAt=to_datetime(each.first),
                    version=version,
                    namespace=job.namespace,
                    location=data.location,
                    inputs=self._renderer.dataset_names(Node(key >> 1) for key in shown if key & 1 != OUTPUT),
                    outputs=self._renderer.dataset_names(Node(key >> 1) for key in shown if key & 1 == OUTPUT),
                    latestRun=await self._full_run(run),
                )
            )
        return answer

    async def datasets(self, page: list[Node]) -> list[shapes.Dataset]:
        await self._catch_up()
        return [await self._dataset(node) for node in page]

    async def _dataset(self, node: Node) -> shapes.Dataset:
        newest = await self._newest_version(self._service.state.aliases.members(node), None)
        return self._renderer.dataset(node, uuid_text(newest.uuid) if newest else None)

    async def versions(self, node: Node, limit: int, offset: int) -> shapes.DatasetVersions:
        members = self._service.state.aliases.members(node)
        await self._catch_up()
        found = await self._ask(self._service.tables.versions, members, limit, offset)
        total = await self._ask(self._service.tables.count_versions, members)
        rows = [v.run for v in found if v.run is not None]
        runs = {run.row: run for run in await self._ask(self._service.tables.runs_by_row, rows)}
        return shapes.DatasetVersions([self._version(node, v, runs.get(v.run or 0)) for v in found], total)

    async def version(self, node: Node, version: str) -> shapes.DatasetVersion:
        """By its id, or by what the `version` facet calls it."""
        await self._catch_up()
        members = self._service.state.aliases.members(node)
        candidates = [version_uuid(self._service.state.dataset_of(m), version, ContentId(0), None) for m in members]
        with suppress(ValueError):
            candidates.append(UUID(version).bytes)
        for uuid in candidates:
            found = await self._ask(self._service.tables.version, uuid)
            if found is not None and found.dataset in members:
                runs = await self._ask(self._service.tables.runs_by_row, [found.run] if found.run is not None else [])
                return self._version(node, found, runs[0] if runs else None)
        name = self._service.state.dataset_of(node).name
        raise NotFound(f"dataset {name!r} has no version {version!r}")

    def _version(self, node: Node, version: Version, run: Run | None) -> shapes.DatasetVersion:
        answer = self._renderer.dataset_data(node, shapes.DatasetVersion)
        answer.version = version.version or uuid_text(version.uuid)
        answer.currentVersion = uuid_text(version.uuid)
        answer.createdAt = moment(version.written if version.written is not None else version.first)
        answer.createdByRun = self._renderer.run(run) if run else None
        answer.lifecycleState = answer.lastLifecycleState
        if version.schema:
            answer.fields = self._renderer.fields_of(node, version.schema)
            answer.facets = {"schema": Raw(self._contents.body(version.schema))}
            answer.currentSchemaVersion = _schema_uuid(version.schema)
        return answer

    async def past_schemas(self, datasets: list[Node]) -> dict[Node, list[tuple[str, Register]]]:
        """What was told of schemas before."""
        await self._catch_up()
        return await self._ask(self._service.tables.past_values, datasets, SCHEMAS)

    # Events

    async def events(self, wanted: EventFilter) -> shapes.Events:
        await self._catch_up()
        positions = await self._ask(self._service.tables.events, wanted)
        total = await self._ask(self._service.tables.count_events, wanted)
        stored = await asyncio.to_thread(self._service.log.events, positions)
        return shapes.Events(total, [Raw(event.body) for event in stored])


def _written(run: Run, dataset: Dataset, use: Use) -> list[bytes]:
    ids = (version_uuid(dataset, version, schema, run.id) for version, schema, _, _ in use.told())
    return list(dict.fromkeys(ids))


def job_version_uuid(job: Job, version: int) -> str:
    return str(UUID(int=(hash_text(f"{job.namespace}\0{job.name}") << 64) | (version & (1 << 64) - 1)))


def _schema_uuid(schema: ContentId) -> str:
    return str(UUID(int=schema & (1 << 64) - 1))


def hash_text(text: str) -> int:
    return content_id(text.encode()) & (1 << 64) - 1
