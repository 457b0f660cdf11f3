"""From the state into the tables: now and then, or when a query needs what they lack."""

import asyncio
import logging
import time
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from headwater.errors import HeadwaterError, StoreUnavailable
from headwater.ids import Node, Position
from headwater.ingest.counters import Counters, StoreHealth
from headwater.ingest.folding import settle_latest_runs
from headwater.model.state import State
from headwater.model.versions import Version
from headwater.store.protocol import Log, Tables
from headwater.store.rows import Rows, take, version_from

logger = logging.getLogger(__name__)

# The tables follow the log at this distance. Waiting lets the events of half a second share
# the write of the jobs and datasets that they all touch. A query about what is not written
# yet has to wait for a write, so where writes are short there are more of them: about an eighth
# of the time goes into them.
WRITE_AFTER_SECONDS = 0.5
_SOONEST_SECONDS, _PAUSE_TIMES = 0.1, 7


class TableWriter:
    def __init__(self, log: Log, tables: Tables, state: State, counters: Counters, health: StoreHealth) -> None:
        self._log, self._tables, self._state = log, tables, state
        self._counters, self._health = counters, health
        self.position = state.position  # up to which the tables have everything
        # Rows that were taken from the state, until the disk has them, and what they are about.
        self._unwritten: tuple[Rows, Position] | None = None
        self._unwritten_nodes: set[Node] = set()
        self._writing = asyncio.Lock()
        self._tables_thread = ThreadPoolExecutor(1, "headwater-tables")
        self._tidy_thread = ThreadPoolExecutor(1, "headwater-tidy")

    async def write_forever(self) -> None:
        took = WRITE_AFTER_SECONDS
        while True:
            await asyncio.sleep(min(max(took * _PAUSE_TIMES, _SOONEST_SECONDS), WRITE_AFTER_SECONDS))
            began = time.monotonic()
            try:
                await self.write()
                took = time.monotonic() - began
                await asyncio.get_running_loop().run_in_executor(self._tidy_thread, self._tidy)
            except HeadwaterError as e:
                logger.warning("the tables fall behind; will try again: %s", e)
            except Exception:
                logger.exception("writing the tables failed; will try again")

    def _tidy(self) -> None:
        self._log.tidy()
        self._tables.tidy()

    async def write(self, about: Iterable[Node] | None = None) -> None:
        """Brings the tables up to the state. Queries that read them call this first. One that is
        about a few jobs or datasets names them: mostly the tables have all of these already."""
        if about is not None and not any(self.is_unwritten(node) for node in about):
            return
        position = self._state.position
        async with self._writing:
            # Whoever was before us may have written it all.
            while self.position < position:
                await self._write_rows()

    async def _write_rows(self) -> None:
        if self._unwritten is None:
            settle_latest_runs(self._state, self._tables)
            self._unwritten_nodes = self._state.dirty.nodes
            self._unwritten = (take(self._state), self._state.position)
        rows, position = self._unwritten
        try:
            await asyncio.get_running_loop().run_in_executor(self._tables_thread, self._tables.write, rows, position)
        except HeadwaterError as e:
            self._health.last_failure = str(e)
            raise
        self._unwritten, self.position, self._health.last_failure = None, position, None
        self._unwritten_nodes = set()
        self._counters.table_writes += 1
        self._state.release_runs()

    async def catch_up(self, about: Iterable[Node] | None = None) -> None:
        """The same, for an answer: while the disk takes nothing, one of some seconds ago is better than none."""
        with suppress(StoreUnavailable):
            await self.write(about)

    def unwritten_versions(self, datasets: Collection[Node]) -> tuple[list[Version], set[bytes]]:
        """Versions of some datasets as far as the tables lack them, and the ids of those, of any dataset, that
        the tables may still have although they no longer count."""
        dirty, (rows, _) = self._state.dirty, self._unwritten or (None, 0)
        versions = [version for version in dirty.versions.values() if version.dataset in datasets]
        gone = dirty.versions_gone - dirty.versions.keys()
        if rows is not None:
            taken = map(version_from, rows.upserts["dataset_versions"])
            versions += [version for version in taken if version.dataset in datasets and version.uuid not in gone]
            gone |= set(rows.versions_gone) - dirty.versions.keys()
        return versions, gone

    def is_unwritten(self, node: Node) -> bool:
        """Whether the tables lack something of a job or dataset. All that changes a run or a version
        marks its job or dataset."""
        return node in self._state.dirty.nodes or node in self._unwritten_nodes

    def close(self) -> None:
        self._tables_thread.shutdown()
        self._tidy_thread.shutdown()
