"""Which versions of datasets runs read and wrote.

A run read the version that it named, or else the newest one when it began to read, never one
that it wrote itself. Under several names of a dataset it is the one that somebody is known to
have written: readers report versions too, each under the name that it knows.
"""

from collections.abc import Iterator, Sequence

import msgspec

from headwater.ids import Node
from headwater.ingest.service import Service
from headwater.model.entities import INPUT, OUTPUT, Run, Use
from headwater.model.state import State
from headwater.model.versions import version_uuid
from headwater.store import pages
from headwater.store.pages import VersionQuery
from headwater.store.protocol import Read


class DatasetVersionUse(msgspec.Struct, frozen=True):
    dataset: Node  # the canonical one
    use: Use
    uuid: bytes
    producer: int | None = None  # of a version that was read: the row of the run that wrote it


async def versions_read(service: Service, runs: Sequence[Run]) -> dict[int, list[DatasetVersionUse]]:
    """By the row of the run. Names are looked up on the event loop, versions beside it, all at once."""
    state = service.state
    used = [(run, node, use) for run in runs for node, use in _uses(state, run, INPUT)]
    which = await service.run_query(pages.versions_read, service.tables, [_version_query(state, *one) for one in used])
    by_row: dict[int, list[DatasetVersionUse]] = {run.row: [] for run in runs}
    for (run, node, use), (uuid, producer) in zip(used, which, strict=True):
        by_row[run.row].append(DatasetVersionUse(state.aliases.canonical(node), use, uuid, producer))
    return by_row


def versions_written(state: State, run: Run) -> list[DatasetVersionUse]:
    written: list[DatasetVersionUse] = []
    for node, use in _uses(state, run, OUTPUT):
        dataset, shown = state.dataset_of(node), state.aliases.canonical(node)
        ids = (version_uuid(dataset, version, schema, run.id) for version, schema, _, _ in use.effective_versions())
        written += [DatasetVersionUse(shown, use, uuid, run.row) for uuid in dict.fromkeys(ids)]
    return written


def _uses(state: State, run: Run, direction: int) -> Iterator[tuple[Node, Use]]:
    for key, use in run.uses.items():
        if key & 1 == direction and not state.is_hidden(Node(key >> 1)):
            yield Node(key >> 1), use


def _version_query(state: State, run: Run, node: Node, use: Use) -> VersionQuery:
    names = state.aliases.members(node)
    version, schema, _, _ = max(use.effective_versions(), key=lambda version: version[3])
    ids = [version_uuid(state.dataset_of(name), version, schema, None) for name in (node, *names)]
    reads = [] if version else [Read(name, use.first, run.row) for name in names]
    return VersionQuery(ids if version else ids[:1], reads)
