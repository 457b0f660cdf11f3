"""Runs as they are shown, without facets and dataset versions, and the latest ones of jobs as JSON.

It takes nothing of the state but names, so the readers of the store write pages of hundreds of runs.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from headwater.ids import DELETED, ContentId, Micros, Node
from headwater.model.entities import Run
from headwater.openlineage import facets as f
from headwater.openlineage.event import content_id, stamp_time
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes import marquez as shapes
from headwater.shapes.common import RunSummary
from headwater.store.pages import ContentsById
from headwater.store.protocol import Log, Tables
from headwater.store.rows import StoredRun, run_from
from headwater.why.pace import state_at

_encode = msgspec.json.Encoder().encode
_64_BITS = (1 << 64) - 1
_CACHED_MOMENTS = 4_000


class LatestRuns(NamedTuple):
    """Of a job: the latest run that has an event of its own, the last few, and the version that ran last."""

    latest: bytes | None
    runs: bytes
    version: str | None


def latest_runs(
    tables: Tables, log: Log, jobs: Mapping[Node, tuple[str, str]], limit: int, needed: set[ContentId]
) -> tuple[dict[Node, LatestRuns], ContentsById]:
    """Of jobs by their names, and some contents."""
    stored = {
        job: [(one, run_from(one, [])) for one in some] for job, some in tables.latest_runs(list(jobs), limit).items()
    }
    registers = [run.facets.get(f.RUN_ARGS) for some in stored.values() for _, run in some]
    args = {register[2] for register in registers if register is not None and register[2] != DELETED}
    contents = dict(log.contents(needed | args))
    return {job: _latest(jobs[job], some, contents) for job, some in stored.items()}, contents


def _latest(job: tuple[str, str], stored: list[tuple[StoredRun, Run]], contents: ContentsById) -> LatestRuns:
    name, versions = shapes.Name(*job), dict[int, shapes.VersionName]()
    latest: shapes.Run | None = None
    runs: list[shapes.Run] = []
    current: str | None = None
    for one, run in stored:
        shown = run_shown(run, name, _args(run, contents))
        if one.version is not None:
            version = versions.get(one.version)
            if version is None:
                version = versions[one.version] = shapes.VersionName(*job, job_version_uuid(*job, one.version))
            shown.jobVersion = version
            current = current or version.version
        if latest is None and run.first is not None:  # it has an event of its own
            latest = shown
        runs.append(shown)
    return LatestRuns(None if latest is None else _encode(latest), _encode(runs), current)


def _args(run: Run, contents: ContentsById) -> f.RunArgs | None:
    register = run.facets.get(f.RUN_ARGS)
    return None if register is None else f.read(f.RunArgs, contents.get(register[2]))


def run_shown(run: Run, job: shapes.Name, args: f.RunArgs | None) -> shapes.Run:
    started, ended = run.started_at, run.ended_at
    first = stamp_time(run.first) if run.first is not None else None
    return shapes.Run(
        id=run.id,
        createdAt=moment(first),
        updatedAt=moment(stamp_time(run.last)) if first is not None else None,
        nominalStartTime=moment(run.nominal[1]) if run.nominal else None,
        nominalEndTime=moment(run.nominal[2]) if run.nominal else None,
        state=run.state,
        startedAt=moment(started),
        endedAt=moment(ended),
        durationMs=(ended - started) // 1000 if ended is not None and started is not None else None,
        args=(args.args if args else None) or {},
        job=job,
        parentRunId=run.parent[1] if run.parent else None,
        rootRunId=run.root[1] if run.root else None,
    )


def run_summary(run: Run, at: Micros) -> RunSummary:
    """As the run stood at a moment."""
    started, ended = run.started_at, run.ended_at
    if ended is not None and ended > at:
        ended = None
    took = (ended - started) // 1000 if ended is not None and started is not None else None
    return RunSummary(run.id, state_at(run, at), moment(started), moment(ended), took)


# All that one event reports has its time, so the same moments come up again and again.
to_moment = lru_cache(_CACHED_MOMENTS)(to_datetime)


def moment(at: Micros | None) -> datetime | None:
    return None if at is None else to_moment(at)


def uuid_text(raw: bytes) -> str:
    """As `str(UUID(bytes=raw))`, of which a page needs hundreds."""
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def job_uuid(namespace: str, name: str) -> str:
    """The same job has the same id everywhere."""
    return uuid_text(blake2b(f"job\0{namespace}\0{name}".encode(), digest_size=16).digest())


def job_version_uuid(namespace: str, name: str, version: int) -> str:
    number = content_id(f"{namespace}\0{name}".encode()) & _64_BITS
    return uuid_text((number << 64 | version & _64_BITS).to_bytes(16, "big"))
