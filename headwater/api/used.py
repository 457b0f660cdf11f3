"""Which versions of datasets runs read and wrote.

A run read the version that it named, or else the newest one when it began to read, never one
that it wrote itself. Under several names of a dataset it is the one that somebody is known to
have written: readers tell of versions too, each under the name that it knows.
"""

import asyncio
from collections.abc import Iterable, Iterator

import msgspec

from headwater.ids import Node
from headwater.model.entities import INPUT, OUTPUT, Run, Use
from headwater.model.state import State
from headwater.model.versions import version_uuid
from headwater.store.protocol import Read, Tables


class VersionUsed(msgspec.Struct, frozen=True):
    dataset: Node  # the canonical one
    use: Use
    uuid: bytes
    producer: int | None = None  # of a version that was read: the row of the run that wrote it


async def versions_read(state: State, tables: Tables, runs: Iterable[Run]) -> dict[int, list[VersionUsed]]:
    """By the row of the run. Names are looked up on the event loop, versions in a thread, all at once."""
    asked = {run.row: [_asked(state, run, node, use) for node, use in _uses(state, run, INPUT)] for run in runs}
    return await asyncio.to_thread(_find, tables, asked)


def versions_written(state: State, run: Run) -> list[VersionUsed]:
    found: list[VersionUsed] = []
    for node, use in _uses(state, run, OUTPUT):
        dataset, shown = state.dataset_of(node), state.aliases.canonical(node)
        ids = (version_uuid(dataset, version, schema, run.id) for version, schema, _, _ in use.told())
        found += [VersionUsed(shown, use, uuid, run.row) for uuid in dict.fromkeys(ids)]
    return found


class _Asked(msgspec.Struct, frozen=True):
    """Which version was it? One of these ids, or else the newest at one of these readings."""

    dataset: Node
    use: Use
    ids: list[bytes]
    reads: list[Read]


def _uses(state: State, run: Run, direction: int) -> Iterator[tuple[Node, Use]]:
    for key, use in run.uses.items():
        if key & 1 == direction and not state.is_hidden(Node(key >> 1)):
            yield Node(key >> 1), use


def _asked(state: State, run: Run, node: Node, use: Use) -> _Asked:
    names = state.aliases.members(node)
    version, schema, _, _ = max(use.told(), key=lambda told: told[3])
    ids = [version_uuid(state.dataset_of(name), version, schema, None) for name in (node, *names)]
    reads = [] if version else [Read(name, use.first, run.row) for name in names]
    return _Asked(state.aliases.canonical(node), use, ids if version else ids[:1], reads)


def _find(tables: Tables, asked: dict[int, list[_Asked]]) -> dict[int, list[VersionUsed]]:
    every = [one for some in asked.values() for one in some]
    newest = tables.versions_read([read for one in every for read in one.reads])
    named = tables.versions_by_id([uuid for one in every if not one.reads for uuid in one.ids])
    found: dict[int, list[VersionUsed]] = {}
    for row, some in asked.items():
        found[row] = []
        for one in some:
            known = [newest[read] for read in one.reads if read in newest]
            known += [named[uuid] for uuid in one.ids if uuid in named]
            best = max(known, key=lambda v: (v.run is not None, v.first), default=None)
            uuid, producer = (best.uuid, best.run) if best else (one.ids[0], None)
            found[row].append(VersionUsed(one.dataset, one.use, uuid, producer))
    return found
