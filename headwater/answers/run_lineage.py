"""Which versions fed which run, up and down the chain."""

from collections.abc import Iterable

from headwater.answers.finding import find_run
from headwater.answers.run_json import job_version_uuid, moment, uuid_text
from headwater.answers.run_versions import DatasetVersionUse, versions_read, versions_written
from headwater.ids import Node
from headwater.ingest.service import Service
from headwater.model.entities import Run
from headwater.shapes.run_lineage import LinkedRun, RunJob, RunLineage, RunTimes, VersionRead, VersionWritten
from headwater.store import pages
from headwater.store.rows import job_version

# The nearest so many runs are shown, and of one version so many readers.
_MOST_RUNS, _MOST_READERS = 1000, 200


class RunChain:
    """Level by level, with a handful of statements each, beside the event loop. Names are looked up on
    the event loop before and after."""

    def __init__(self, service: Service) -> None:
        self._state, self._service = service.state, service
        self._runs: dict[int, Run] = {}  # by row, those that were read
        self._fed: dict[int, list[DatasetVersionUse]] = {}
        self._truncated = False

    async def linked(self, run_id: str, depth: int, *, up: bool) -> RunLineage:
        first = await find_run(self._service, run_id)
        self._runs[first.row] = first
        shown, level = {first.row}, [first.row]
        ordered = level
        await self._resolve(level)
        for _ in range(depth):
            rows = self._producers(level) if up else await self._readers(level)
            level = [row for row in dict.fromkeys(rows) if row not in shown and self._is_shown(row)]
            level.sort(key=lambda row: (self._state.job_of(self._runs[row].job).name, self._runs[row].id))
            self._truncated = self._truncated or len(level) > _MOST_RUNS - len(shown)
            level = level[: _MOST_RUNS - len(shown)]
            if not level:
                break
            shown.update(level)
            ordered = ordered + level
            await self._resolve(level)
        return RunLineage([self._linked(self._runs[row]) for row in ordered], self._truncated)

    def _is_shown(self, row: int) -> bool:
        """Runs of a job that was deleted are found by their ids only."""
        return row in self._runs and not self._state.is_hidden(self._runs[row].job)

    async def _resolve(self, rows: list[int]) -> None:
        """Finds what runs read, and the runs that wrote that."""
        fresh = [self._runs[row] for row in rows if row not in self._fed]
        self._fed |= await versions_read(self._service, fresh)
        await self._read_runs(self._producers([run.row for run in fresh]))

    async def _read_runs(self, rows: Iterable[int]) -> None:
        missing = [row for row in dict.fromkeys(rows) if row not in self._runs]
        for run in await self._service.run_query(self._service.tables.runs_by_row, missing):
            self._runs[run.row] = run

    def _producers(self, level: list[int]) -> list[int]:
        return [fed.producer for row in level for fed in self._fed[row] if fed.producer is not None]

    async def _readers(self, level: list[int]) -> list[int]:
        """Runs that read a version that a run of this level wrote."""
        written: dict[bytes, tuple[Node, ...]] = {}
        for row in level:
            for version in versions_written(self._state, self._runs[row]):
                written[version.uuid] = self._state.aliases.members(version.dataset)
        candidates, cut = await self._service.run_query(pages.readers, self._service.tables, written, _MOST_READERS)
        self._truncated = self._truncated or cut
        await self._read_runs(candidates)
        await self._resolve([row for row in candidates if row in self._runs])
        return [row for row in candidates if any(fed.uuid in written for fed in self._fed.get(row, ()))]

    def _linked(self, run: Run) -> LinkedRun:
        job, version = self._state.job_of(run.job), job_version(self._state, run)
        name = job.namespace, job.name
        inputs = []
        for fed in self._fed[run.row]:
            dataset = self._state.dataset_of(fed.dataset)
            producer = self._runs.get(fed.producer) if fed.producer is not None else None
            by = producer.id if producer is not None else None
            inputs.append(VersionRead(dataset.namespace, dataset.name, uuid_text(fed.uuid), by))
        outputs: list[VersionWritten] = []
        for written in versions_written(self._state, run):
            dataset = self._state.dataset_of(written.dataset)
            outputs.append(VersionWritten(dataset.namespace, dataset.name, uuid_text(written.uuid)))
        return LinkedRun(
            RunJob(*name, None if version is None else job_version_uuid(*name, version)),
            RunTimes(run.id, moment(run.started_at), moment(run.ended_at), run.state),
            sorted(inputs, key=lambda one: (one.namespace, one.name)),
            sorted(outputs, key=lambda one: (one.namespace, one.name)),
        )
