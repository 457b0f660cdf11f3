"""From the queue into the log and then into the state: queue → group commit → apply.

Requests that wait share one commit. While the log thread has one group, the event loop applies the
group before it and decodes the next.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from headwater.errors import HeadwaterError, StoreUnavailable
from headwater.ids import ContentId
from headwater.ingest.counters import Counters, StoreHealth
from headwater.ingest.facets_in_state import contents_in_state
from headwater.ingest.folding import EVENTS_PER_SLICE, PrefetchedRuns, Record, StoredRuns, fold
from headwater.ingest.positions import PositionWaiters
from headwater.interpret.known_facets import KnownFacets
from headwater.live.hub import Hub
from headwater.model.state import State
from headwater.openlineage.timestamps import now
from headwater.store.protocol import Appended, Log, Tables

logger = logging.getLogger(__name__)

# One commit takes at most this many events. Whoever comes with one event waits for the commit that is under way:
# a larger one would take longer than 30 ms, and gains little, as the fsync is already well shared.
EVENTS_PER_COMMIT = 512

# A commit has a fixed cost of a millisecond or so. Where several clients send events, half of
# them share one while the other half is answered; the next commit waits this long, in steps,
# until so many are there. One or two clients never wait.
_A_CROWD, _GATHER_STEPS, _GATHER_SECONDS = 4, 4, 0.001

_A_MOMENT_SECONDS = 0.1


@dataclass
class _Request:
    """The events of one request on their way through the log into the state."""

    events: Sequence[Record]
    done: "asyncio.Future[list[Appended]]" = field(repr=False)
    appended: list[Appended] = field(default_factory=list)
    runs: StoredRuns | None = None
    applied: int = 0


class Committer:
    def __init__(
        self,
        log: Log,
        tables: Tables,
        state: State,
        live: Hub,
        positions: PositionWaiters,
        counters: Counters,
        health: StoreHealth,
    ) -> None:
        self._log, self._tables, self._state, self._live = log, tables, state, live
        self._positions, self._counters, self._health = positions, counters, health
        self._known = KnownFacets()
        self._log_thread = ThreadPoolExecutor(1, "headwater-log")
        self._runs_thread = ThreadPoolExecutor(1, "headwater-runs")
        self._queue: list[_Request] = []
        self._wake = asyncio.Event()
        self._committing = False
        self._last_commit = 0.0
        # In the log, but not yet in the state.
        self._to_apply: deque[_Request] = deque()
        self._apply_failed = False

    async def ingest(self, events: Sequence[Record]) -> list[Appended]:
        """Returns when the events are on disk and in the graph."""
        appended: list[Appended] = []
        for start in range(0, len(events), EVENTS_PER_COMMIT):
            appended += await self._enqueue(events[start : start + EVENTS_PER_COMMIT])
        return appended

    def events_come_in(self) -> bool:
        """Whether there was an event a moment ago."""
        return bool(self._queue) or time.monotonic() - self._last_commit < _A_MOMENT_SECONDS

    async def drain(self) -> None:
        """Returns when all that was accepted is in the state."""
        while self._queue or self._committing:
            await asyncio.sleep(0.01)

    def close(self) -> None:
        self._log_thread.shutdown()
        self._runs_thread.shutdown()

    def _enqueue(self, events: Sequence[Record]) -> "asyncio.Future[list[Appended]]":
        done: asyncio.Future[list[Appended]] = asyncio.get_running_loop().create_future()
        self._queue.append(_Request(events, done))
        self._wake.set()
        return done

    async def commit_forever(self) -> None:
        crowd = 0
        while True:
            await self._wake.wait()
            self._committing = True
            if crowd >= _A_CROWD:
                await self._gather(crowd // 2)
            group = self._next_group()
            await self._commit(group)
            crowd = len(group) + len(self._queue)
            if not self._queue:
                await self._apply_all()
            self._committing = False

    async def _gather(self, count: int) -> None:
        if len(self._queue) >= count:
            return
        await self._apply_all()  # whoever is answered comes back with the next event
        for _ in range(_GATHER_STEPS):
            if len(self._queue) >= count:
                return
            await asyncio.sleep(_GATHER_SECONDS)

    def _next_group(self) -> list[_Request]:
        total = count = 0
        for request in self._queue:
            total += len(request.events)
            if count and total > EVENTS_PER_COMMIT:
                break
            count += 1
        group, self._queue = self._queue[:count], self._queue[count:]
        if not self._queue:
            self._wake.clear()
        return group

    async def _commit(self, group: list[_Request]) -> None:
        """Appends a group to the log, and meanwhile applies the one before it."""
        if self._apply_failed:
            # Nothing is accepted before what is in the log already gets into the state.
            failure = await self._apply_all()
            if failure is not None:
                self._fail(group, failure)
                return
        events = [event for request in group for event in request.events]
        loop = asyncio.get_running_loop()
        stored = contents_in_state(self._state, events, self._log.known_contents, self._known)
        appending = loop.run_in_executor(self._log_thread, self._append, events, stored)
        runs = PrefetchedRuns(self._state, self._tables, events)
        fetching = loop.run_in_executor(self._runs_thread, runs.fetch) if runs.missing else None
        await self._apply_all()
        try:
            appended = await appending
        except Exception as e:
            self._fail(group, e)
            return
        self._counters.commits += 1
        self._last_commit = time.monotonic()
        start = 0
        for request in group:
            request.appended = appended[start : start + len(request.events)]
            start += len(request.events)
            request.runs = runs
        if fetching is not None:
            await fetching
        self._to_apply += group
        if self._apply_failed:
            await self._apply_all()

    def _append(self, events: list[Record], stored: set[ContentId]) -> list[Appended]:
        return self._log.append(events, now(), stored)

    async def _apply_all(self) -> Exception | None:
        """Applies what is in the log, in its order. What can fail is reading runs from the
        tables; then all who wait get the error, and it is tried again before anything is accepted."""
        try:
            while self._to_apply:
                await self._apply(self._to_apply[0])
                self._to_apply.popleft()
        except Exception as e:
            self._apply_failed = True
            self._fail(self._to_apply, e)
            return e
        self._apply_failed = False
        return None

    async def _apply(self, request: _Request) -> None:
        self._health.last_failure = None
        while request.applied < len(request.events):
            if request.applied:
                await asyncio.sleep(0)
            part = slice(request.applied, request.applied + EVENTS_PER_SLICE)
            pairs = zip(request.appended[part], request.events[part], strict=True)
            fresh = [(appended.position, event) for appended, event in pairs if not appended.duplicate]
            fold(self._state, request.runs or self._tables, fresh, self._known, self._live.updates)
            self._live.publish()
            if self._positions.waiters:
                self._positions.notify()
            self._counters.accepted += len(fresh)
            self._counters.duplicates += len(request.events[part]) - len(fresh)
            request.applied += EVENTS_PER_SLICE
        if not request.done.done():  # the client may have left
            request.done.set_result(request.appended)

    def _fail(self, group: Iterable[_Request], error: Exception) -> None:
        self._counters.store_failures += 1
        self._health.last_failure = str(error)
        if not isinstance(error, HeadwaterError):
            logger.error("a commit failed", exc_info=error)
            error = StoreUnavailable(f"the events could not be stored: {error}")
        for request in group:
            if not request.done.done():
                request.done.set_exception(error)
