"""The whole path on one page: decode → append → interpret → apply → write to the tables.

    POST ──► decode ──► queue ──► log.append ──► interpret ──► apply ──► live, answer
             (loop)               (log thread,     (loop)      (loop)
                                   one fsync for                  │
                                   all that wait)                 └─► now and then: tables.write
                                                                      (tables thread)

`committer.py` takes events from the queue into the state, `table_writer.py` takes the state into the
tables, `positions.py` is for those who wait for their own writes.

The log is the truth. The state in memory is the fold of the log, and the tables hold that
state as of some position, so after a crash the rest of the log is replayed onto them.
Everything in memory is touched on the event loop only: no locks, and a query sees whole events.
"""

import asyncio
import logging

from headwater.errors import StoreUnavailable
from headwater.ids import Micros, Position
from headwater.ingest.committer import Committer
from headwater.ingest.counters import Counters, StoreHealth
from headwater.ingest.positions import PositionWaiters
from headwater.ingest.table_writer import TableWriter
from headwater.live.hub import Hub
from headwater.model.edited import NEVER
from headwater.model.state import State
from headwater.openlineage.timestamps import now
from headwater.store.protocol import Log, Tables
from headwater.store.reader_pool import QueryRunner, ThreadRunner

logger = logging.getLogger(__name__)

# How long live streams get to end when the server stops; longer only if they are not read.
_STREAMS_END_SECONDS = 0.5


class Service:
    def __init__(self, log: Log, tables: Tables, state: State, query_runner: QueryRunner | None = None) -> None:
        self.log, self.tables, self.state = log, tables, state
        self.query_runner = query_runner or ThreadRunner()
        self.run_query = self.query_runner.run
        self.counters = Counters()
        self.live = Hub(state)
        self._health = StoreHealth()
        self._positions = PositionWaiters(state)
        self.reached = self._positions.reached
        self._committer = Committer(log, tables, state, self.live, self._positions, self.counters, self._health)
        self.ingest, self.events_come_in = self._committer.ingest, self._committer.events_come_in
        self.table_writer = writer = TableWriter(log, tables, state, self.counters, self._health)
        self.write_tables, self.catch_up = writer.write, writer.catch_up
        self.is_unwritten, self.unwritten_versions = writer.is_unwritten, writer.unwritten_versions
        self._last_moment = state.edited.latest()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        self._tasks = [
            asyncio.create_task(self._committer.commit_forever(), name="commit"),
            asyncio.create_task(self.table_writer.write_forever(), name="write tables"),
        ]

    async def stop(self) -> None:
        """Ends after all that was accepted is in the tables."""
        await self._committer.drain()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await self.write_tables()
        except StoreUnavailable as e:
            logger.warning("the tables will be completed from the log at the next start: %s", e)
        self._committer.close()
        self.table_writer.close()
        await self.query_runner.close()
        self.log.close()
        self.tables.close()

    async def release_waiting(self) -> bool:
        """Ends what only waits for events: live streams, and queries that wait for a position.
        False if a stream does not end because nobody reads it."""
        self._positions.release()
        return await self.live.close(_STREAMS_END_SECONDS)

    @property
    def tables_position(self) -> Position:
        return self.table_writer.position

    @property
    def last_failure(self) -> str | None:
        """Why the disk refused the last write, if it did."""
        return self._health.last_failure

    def moment(self, after: Micros = NEVER) -> Micros:
        """The time for a change through the API: now, but later than any change before it and than
        `after`, so that of two changes the second one counts."""
        self._last_moment = Micros(max(now(), self._last_moment + 1))
        return Micros(max(self._last_moment, after + 1))
