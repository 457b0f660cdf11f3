"""Questions that belong together, as one: each way to the store and back costs.

Runs come with the contents of their facets and of those of what they used.
"""

from collections.abc import Sequence
from typing import NamedTuple

from headwater.ids import DELETED, ContentId, Micros, Node, RunId
from headwater.model.entities import Run
from headwater.model.versions import Version
from headwater.store.protocol import EventFilter, Log, Read, StoredEvent, Tables

Bodies = dict[ContentId, bytes]

_FOREVER = 1 << 62


def runs(tables: Tables, log: Log, ids: Sequence[RunId]) -> tuple[list[Run], Bodies]:
    return _with_contents(log, tables.runs(ids))


def runs_by_row(tables: Tables, log: Log, rows: Sequence[int]) -> tuple[list[Run], Bodies]:
    return _with_contents(log, tables.runs_by_row(rows))


def runs_of_job(tables: Tables, log: Log, job: Node, limit: int, offset: int) -> tuple[list[Run], Bodies]:
    return _with_contents(log, tables.runs_of_job(job, limit, offset))


def _with_contents(log: Log, found: list[Run]) -> tuple[list[Run], Bodies]:
    told = [registers for run in found for registers in (run.facets, *(use.facets for use in run.uses.values()))]
    contents = {register[2] for registers in told for register in registers.values()}
    return found, dict(log.contents(contents - {DELETED}))


def versions(
    tables: Tables, datasets: Sequence[Node], limit: int, offset: int
) -> tuple[list[Version], dict[int, Run], int]:
    """A page of them, the runs that wrote these, and how many there are."""
    found = tables.versions(datasets, limit, offset)
    writers = tables.runs_by_row([v.run for v in found if v.run is not None])
    return found, {run.row: run for run in writers}, tables.count_versions(datasets)


class VersionAsked(NamedTuple):
    """Which version was it? One of these ids, or else the newest at one of these readings."""

    ids: list[bytes]
    reads: list[Read]


class VersionFound(NamedTuple):
    uuid: bytes
    producer: int | None  # the row of the run that wrote it


def versions_read(tables: Tables, asked: Sequence[VersionAsked]) -> list[VersionFound]:
    newest = tables.versions_read([read for one in asked for read in one.reads])
    named = tables.versions_by_id([uuid for one in asked if not one.reads for uuid in one.ids])
    found: list[VersionFound] = []
    for one in asked:
        known = [newest[read] for read in one.reads if read in newest]
        known += [named[uuid] for uuid in one.ids if uuid in named]
        best = max(known, key=lambda v: (v.run is not None, v.first), default=None)
        found.append(VersionFound(best.uuid, best.run) if best else VersionFound(one.ids[0], None))
    return found


def readers(tables: Tables, written: dict[bytes, tuple[Node, ...]], limit: int) -> tuple[list[int], bool]:
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
            rows = tables.readers(name, version.first, until, limit + 1)
            cut = cut or len(rows) > limit
            found.update(dict.fromkeys(rows[:limit]))
    return list(found), cut


def events(tables: Tables, log: Log, wanted: EventFilter) -> tuple[int, list[StoredEvent]]:
    return tables.count_events(wanted), log.events(tables.events(wanted))
