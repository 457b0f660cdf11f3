"""`/runlineage`: which versions fed which run, up and down the chain."""

import asyncio
from collections.abc import Iterable
from typing import Annotated

import msgspec
from litestar import Response, get
from litestar.params import QueryParameter

from headwater.api.context import App, answer, says
from headwater.api.history import job_version_uuid
from headwater.api.parameters import Depth
from headwater.api.render import moment, uuid_text
from headwater.api.why import find_run
from headwater.ids import Micros, Node
from headwater.model.entities import INPUT, OUTPUT, Run, Use
from headwater.model.versions import version_uuid
from headwater.shapes.runlineage import LinkedRun, RunJob, RunLineage, RunTimes, VersionRead, VersionWritten
from headwater.store.protocol import Read, Tables
from headwater.store.rows import job_version

# The nearest so many runs are shown, and of one version so many readers.
_MOST_RUNS, _MOST_READERS = 1000, 200
_FOREVER = 1 << 62

RunIdParameter = Annotated[str, QueryParameter(name="runId", description="The run to begin with.")]


@get("/runlineage/upstream", responses=says(RunLineage), summary="The runs whose versions fed a run, and those before")
async def get_run_upstream(app: App, run_id: RunIdParameter, depth: Depth = 20) -> Response[bytes]:
    return answer(await _Chain(app).linked(run_id, depth, up=True))


@get("/runlineage/downstream", responses=says(RunLineage), summary="The runs that read what a run wrote, and on")
async def get_run_downstream(app: App, run_id: RunIdParameter, depth: Depth = 20) -> Response[bytes]:
    return answer(await _Chain(app).linked(run_id, depth, up=False))


class _Fed(msgspec.Struct, frozen=True):
    """A version that a run read."""

    dataset: Node
    uuid: bytes
    producer: int | None  # the row of the run that wrote it


class _Chain:
    """Level by level, with a handful of statements each, in a thread. Names are looked up on
    the event loop before and after."""

    def __init__(self, app: App) -> None:
        self._app, self._state, self._tables = app, app.state, app.service.tables
        self._runs: dict[int, Run] = {}  # by row, those that were read
        self._fed: dict[int, list[_Fed]] = {}
        self._truncated = False

    async def linked(self, run_id: str, depth: int, *, up: bool) -> RunLineage:
        first = await find_run(self._app, run_id)
        self._runs[first.row] = first
        shown, level = {first.row}, [first.row]
        ordered = level
        await self._resolve(level)
        for _ in range(depth):
            rows = self._producers(level) if up else await self._readers(level)
            level = [row for row in dict.fromkeys(rows) if row not in shown and row in self._runs]
            level.sort(key=lambda row: (self._state.job_of(self._runs[row].job).name, self._runs[row].id))
            self._truncated = self._truncated or len(level) > _MOST_RUNS - len(shown)
            level = level[: _MOST_RUNS - len(shown)]
            if not level:
                break
            shown.update(level)
            ordered = ordered + level
            await self._resolve(level)
        return RunLineage([self._linked(self._runs[row]) for row in ordered], self._truncated)

    async def _resolve(self, rows: list[int]) -> None:
        """Finds what runs read, and the runs that wrote that."""
        fresh = [self._runs[row] for row in rows if row not in self._fed]
        asked = [(run.row, self._version_read(run, key, use)) for run in fresh for key, use in _uses(run, INPUT)]
        fed = await asyncio.to_thread(_find, self._tables, [one for _, one in asked])
        for row in rows:
            self._fed.setdefault(row, [])
        for (row, _), version in zip(asked, fed, strict=True):
            self._fed[row].append(version)
        await self._read_runs(version.producer for version in fed if version.producer is not None)

    async def _read_runs(self, rows: Iterable[int]) -> None:
        missing = [row for row in dict.fromkeys(rows) if row not in self._runs]
        for run in await asyncio.to_thread(self._tables.runs_by_row, missing):
            self._runs[run.row] = run

    def _version_read(self, run: Run, key: int, use: Use) -> "_Asked":
        """The version that the run named, or the newest one when it began to read."""
        node = Node(key >> 1)
        names = self._state.aliases.members(node)
        version, schema, _, _ = max(use.told(), key=lambda told: told[3])
        ids = [version_uuid(self._state.dataset_of(name), version, schema, None) for name in (node, *names)]
        reads = [] if version else [Read(name, use.first, run.row) for name in names]
        return _Asked(self._state.aliases.canonical(node), ids if version else ids[:1], reads)

    def _producers(self, level: list[int]) -> list[int]:
        return [fed.producer for row in level for fed in self._fed[row] if fed.producer is not None]

    async def _readers(self, level: list[int]) -> list[int]:
        """Runs that read a version that a run of this level wrote."""
        written: dict[bytes, tuple[Node, ...]] = {}
        for row in level:
            for key, use in _uses(self._runs[row], OUTPUT):
                for uuid in self._written(self._runs[row], key, use):
                    written[uuid] = self._state.aliases.members(Node(key >> 1))
        candidates, cut = await asyncio.to_thread(_candidates, self._tables, written)
        self._truncated = self._truncated or cut
        await self._read_runs(candidates)
        await self._resolve([row for row in candidates if row in self._runs])
        return [row for row in candidates if any(fed.uuid in written for fed in self._fed.get(row, ()))]

    def _written(self, run: Run, key: int, use: Use) -> list[bytes]:
        dataset = self._state.dataset_of(Node(key >> 1))
        ids = (version_uuid(dataset, version, schema, run.id) for version, schema, _, _ in use.told())
        return list(dict.fromkeys(ids))

    def _linked(self, run: Run) -> LinkedRun:
        job, version = self._state.job_of(run.job), job_version(self._state, run)
        inputs = []
        for fed in self._fed[run.row]:
            dataset = self._state.dataset_of(fed.dataset)
            producer = self._runs.get(fed.producer) if fed.producer is not None else None
            by = producer.id if producer is not None else None
            inputs.append(VersionRead(dataset.namespace, dataset.name, uuid_text(fed.uuid), by))
        outputs: list[VersionWritten] = []
        for key, use in _uses(run, OUTPUT):
            dataset = self._state.dataset_of(self._state.aliases.canonical(Node(key >> 1)))
            ids = self._written(run, key, use)
            outputs += [VersionWritten(dataset.namespace, dataset.name, uuid_text(uuid)) for uuid in ids]
        return LinkedRun(
            RunJob(job.namespace, job.name, None if version is None else job_version_uuid(job, version)),
            RunTimes(run.id, moment(run.started_at), moment(run.ended_at), run.state),
            sorted(inputs, key=lambda one: (one.namespace, one.name)),
            sorted(outputs, key=lambda one: (one.namespace, one.name)),
        )


class _Asked(msgspec.Struct, frozen=True):
    """Which version was it? One of these ids, or else the newest at one of these readings."""

    dataset: Node
    ids: list[bytes]
    reads: list[Read]


def _uses(run: Run, direction: int) -> list[tuple[int, Use]]:
    return [(key, use) for key, use in run.uses.items() if key & 1 == direction]


def _find(tables: Tables, asked: list[_Asked]) -> list[_Fed]:
    newest = tables.versions_read([read for one in asked for read in one.reads])
    named = tables.versions_by_id([uuid for one in asked if not one.reads for uuid in one.ids])
    found: list[_Fed] = []
    for one in asked:
        known = [newest[read] for read in one.reads if read in newest]
        known += [named[uuid] for uuid in one.ids if uuid in named]
        # Under several names it is the one that somebody is known to have written.
        best = max(known, key=lambda v: (v.run is not None, v.first), default=None)
        found.append(_Fed(one.dataset, best.uuid if best else one.ids[0], best.run if best else None))
    return found


def _candidates(tables: Tables, written: dict[bytes, tuple[Node, ...]]) -> tuple[list[int], bool]:
    """Runs that may have read versions: those that began to while each was the newest, or as
    long as it was spoken of. Whether there were more than are looked at."""
    versions = tables.versions_by_id(list(written))
    ends = tables.next_versions(list(versions.values()))
    found: dict[int, None] = {}
    cut = False
    for uuid, version in versions.items():
        # To the end: a run that writes what it reads tells of both at once.
        until = Micros(max(ends.get(uuid, _FOREVER), version.last) + 1)
        for name in written[uuid]:
            rows = tables.readers(name, version.first, until, _MOST_READERS + 1)
            cut = cut or len(rows) > _MOST_READERS
            found.update(dict.fromkeys(rows[:_MOST_READERS]))
    return list(found), cut


run_lineage_handlers = [get_run_upstream, get_run_downstream]
