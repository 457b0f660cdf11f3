"""Queries that belong together, as one: each round trip to the store costs.

Runs come with the contents of their facets and of the facets of what they used.
"""

from collections.abc import Sequence
from typing import NamedTuple

from headwater.ids import DELETED, ContentId, Micros, Node, RunId
from headwater.model.entities import Run
from headwater.model.versions import Version
from headwater.store.protocol import EventFilter, Log, Read, StoredEvent, Tables

ContentsById = dict[ContentId, bytes]

_FOREVER = 1 << 62


def runs(tables: Tables, log: Log, ids: Sequence[RunId]) -> tuple[list[Run], ContentsById]:
    return _with_contents(log, tables.runs(ids))


def runs_by_row(tables: Tables, log: Log, rows: Sequence[int]) -> tuple[list[Run], ContentsById]:
    return _with_contents(log, tables.runs_by_row(rows))


def runs_of_job(tables: Tables, log: Log, job: Node, limit: int, offset: int) -> tuple[list[Run], ContentsById]:
    return _with_contents(log, tables.runs_of_job(job, limit, offset))


def _with_contents(log: Log, runs: list[Run]) -> tuple[list[Run], ContentsById]:
    facets = [registers for run in runs for registers in (run.facets, *(use.facets for use in run.uses.values()))]
    contents = {register[2] for registers in facets for register in registers.values()}
    return runs, dict(log.contents(contents - {DELETED}))


def versions(
    tables: Tables, datasets: Sequence[Node], limit: int, offset: int
) -> tuple[list[Version], dict[int, Run], int]:
    """A page of them, the runs that wrote these, and how many there are in all."""
    page = tables.versions(datasets, limit, offset)
    writers = tables.runs_by_row([v.run for v in page if v.run is not None])
    return page, {run.row: run for run in writers}, tables.count_versions(datasets)


class VersionQuery(NamedTuple):
    """Which version was it? One of these ids, or else the newest at one of these reads."""

    ids: list[bytes]
    reads: list[Read]


class VersionMatch(NamedTuple):
    uuid: bytes
    producer: int | None  # the row of the run that wrote it


def versions_read(tables: Tables, queries: Sequence[VersionQuery]) -> list[VersionMatch]:
    newest = tables.versions_read([read for query in queries for read in query.reads])
    named = tables.versions_by_id([uuid for query in queries if not query.reads for uuid in query.ids])
    matches: list[VersionMatch] = []
    for query in queries:
        candidates = [newest[read] for read in query.reads if read in newest]
        candidates += [named[uuid] for uuid in query.ids if uuid in named]
        best = max(candidates, key=lambda v: (v.run is not None, v.first), default=None)
        matches.append(VersionMatch(best.uuid, best.run) if best else VersionMatch(query.ids[0], None))
    return matches


def readers(tables: Tables, written: dict[bytes, tuple[Node, ...]], limit: int) -> tuple[list[int], bool]:
    """Runs that may have read these versions: those that began to read while a version was the newest,
    or as long as events mentioned it. And whether there were more than `limit`."""
    versions = tables.versions_by_id(list(written))
    ends = tables.next_versions(list(versions.values()))
    runs: dict[int, None] = {}
    cut = False
    for uuid, version in versions.items():
        # Including the end: a run that writes what it reads reports both in one event.
        until = Micros(max(ends.get(uuid, _FOREVER), version.last) + 1)
        for name in written[uuid]:
            rows = tables.readers(name, version.first, until, limit + 1)
            cut = cut or len(rows) > limit
            runs.update(dict.fromkeys(rows[:limit]))
    return list(runs), cut


def events(tables: Tables, log: Log, criteria: EventFilter) -> tuple[int, list[StoredEvent]]:
    return tables.count_events(criteria), log.events(tables.events(criteria))
