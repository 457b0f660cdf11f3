"""The whole path on one page: decode → append → interpret → apply → write to the tables.

    POST ──► decode ──► waiting ──► log.append ──► interpret ──► state.apply ──► live, answer
             (loop)                 (log thread,     (loop)         (loop)
                                     one fsync for                    │
                                     all that wait)                   └─► now and then: tables.write
                                                                          (tables thread)

While the log thread has one group, the loop applies the group before it and decodes the next.

The log is the truth. The state in memory is the fold of the log, and the tables hold that
state as of some position, so after a crash the rest of the log is replayed onto them.
Everything in memory is touched on the event loop only: no locks, and a query sees whole events.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from headwater.errors import HeadwaterError, NotYet, StoreUnavailable
from headwater.ids import ContentId, Micros, Node, Position
from headwater.ingest.folding import EVENTS_PER_SLICE, Beforehand, Record, StoredRuns, fold, settle_latest_runs
from headwater.ingest.known_facets import recall
from headwater.live.hub import Hub
from headwater.model.edited import NEVER
from headwater.model.state import State
from headwater.model.versions import Version
from headwater.store.protocol import Appended, Log, Tables
from headwater.store.reader_pool import QueryRunner, ThreadRunner
from headwater.store.rows import Rows, take, version_from

logger = logging.getLogger(__name__)

# One commit takes at most this many events. Whoever comes with one event waits for the commit that is under way:
# a larger one would take longer than 30 ms, and gains little, as the fsync is already well shared.
EVENTS_PER_COMMIT = 512

# The tables follow the log at this distance. Waiting lets the events of half a second share
# the write of the jobs and datasets that they all touch. A question about what is not written
# yet has to wait for a write, so where writes are short there are more of them: about an eighth
# of the time goes into them.
WRITE_AFTER_SECONDS = 0.5
_SOONEST_SECONDS, _PAUSE_TIMES = 0.1, 7

# A commit has a fixed cost of a millisecond or so. Where several clients are at it, half of
# them share one while the other half is answered; the next commit waits this long, in steps,
# until so many are there. One or two clients never wait.
_A_CROWD, _GATHER_STEPS, _GATHER_SECONDS = 4, 4, 0.001

_A_MOMENT_SECONDS = 0.1

# How long live streams get to end when the server stops; longer only if they are not read.
_STREAMS_END_SECONDS = 0.5


@dataclass
class Counters:
    """Shown in /metrics."""

    accepted: int = 0
    duplicates: int = 0
    rejected: int = 0
    bytes_in: int = 0
    commits: int = 0
    table_writes: int = 0
    store_failures: int = 0
    queries_running: int = 0
    queries_timed_out: int = 0
    queries_abandoned: int = 0


@dataclass
class _Waiting:
    """The events of one request on their way through the log into the state."""

    events: Sequence[Record]
    done: "asyncio.Future[list[Appended]]" = field(repr=False)
    appended: list[Appended] = field(default_factory=list)
    beforehand: StoredRuns | None = None
    applied: int = 0


@dataclass(eq=False)
class _Reader:
    """Somebody who waits for the state to reach a position."""

    position: Position
    done: "asyncio.Future[None]" = field(repr=False)


class Service:
    def __init__(self, log: Log, tables: Tables, state: State, query_runner: QueryRunner | None = None) -> None:
        self.log, self.tables, self.state = log, tables, state
        self.query_runner = query_runner or ThreadRunner()
        self.run_query = self.query_runner.run
        self.counters = Counters()
        self._waiting: list[_Waiting] = []
        self._wake = asyncio.Event()
        self._log_thread = ThreadPoolExecutor(1, "headwater-log")
        self._runs_thread = ThreadPoolExecutor(1, "headwater-runs")
        self._tables_thread = ThreadPoolExecutor(1, "headwater-tables")
        self._tidy_thread = ThreadPoolExecutor(1, "headwater-tidy")
        # Rows that were taken from the state, until the disk has them, and what they are about.
        self._unwritten: tuple[Rows, Position] | None = None
        self._unwritten_nodes: set[Node] = set()
        self.tables_position = state.position
        self.last_failure: str | None = None  # why the disk refused the last write, if it did
        self._writing = asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self._last_commit = 0.0
        # What is in the log, until it is in the state.
        self._due: deque[_Waiting] = deque()
        self._apply_failed = False
        self._committing = False
        self._last_moment = state.edited.latest()
        self.live = Hub(state)
        self._readers: set[_Reader] = set()

    async def start(self) -> None:
        self._tasks = [
            asyncio.create_task(self._commit_forever(), name="commit"),
            asyncio.create_task(self._write_forever(), name="write tables"),
        ]

    async def stop(self) -> None:
        """Ends after all that was accepted is in the tables."""
        while self._waiting or self._committing:
            await asyncio.sleep(0.01)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await self.write_tables()
        except StoreUnavailable as e:
            logger.warning("the tables will be completed from the log at the next start: %s", e)
        for thread in (self._log_thread, self._runs_thread, self._tables_thread, self._tidy_thread):
            thread.shutdown()
        await self.query_runner.close()
        self.log.close()
        self.tables.close()

    async def let_go(self) -> bool:
        """Ends what only waits for news: live streams, and questions about a position that is not
        reached yet. False if a stream does not end because nobody reads it."""
        for reader in self._readers:
            if not reader.done.done():
                reader.done.set_exception(NotYet("the server stops"))
        return await self.live.close(_STREAMS_END_SECONDS)

    def events_come_in(self) -> bool:
        """Whether there was an event a moment ago."""
        return bool(self._waiting) or time.monotonic() - self._last_commit < _A_MOMENT_SECONDS

    # In

    def moment(self, after: Micros = NEVER) -> Micros:
        """The time for what people say through the API: now, but later than anything that they
        said before and than `after`, so that of two words the second one counts."""
        self._last_moment = Micros(max(now(), self._last_moment + 1))
        return Micros(max(self._last_moment, after + 1))

    async def ingest(self, events: Sequence[Record]) -> list[Appended]:
        """Returns when the events are on disk and in the graph."""
        answer: list[Appended] = []
        for start in range(0, len(events), EVENTS_PER_COMMIT):
            answer += await self._enqueue(events[start : start + EVENTS_PER_COMMIT])
        return answer

    def _enqueue(self, events: Sequence[Record]) -> "asyncio.Future[list[Appended]]":
        done: asyncio.Future[list[Appended]] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(events, done))
        self._wake.set()
        return done

    async def _commit_forever(self) -> None:
        crowd = 0
        while True:
            await self._wake.wait()
            self._committing = True
            if crowd >= _A_CROWD:
                await self._gather(crowd // 2)
            group = self._next_group()
            await self._commit(group)
            crowd = len(group) + len(self._waiting)
            if not self._waiting:
                await self._apply_due()
            self._committing = False

    async def _gather(self, wanted: int) -> None:
        if len(self._waiting) >= wanted:
            return
        await self._apply_due()  # whoever is answered comes back with the next event
        for _ in range(_GATHER_STEPS):
            if len(self._waiting) >= wanted:
                return
            await asyncio.sleep(_GATHER_SECONDS)

    async def _commit(self, group: list[_Waiting]) -> None:
        """Appends a group to the log, and meanwhile applies the one before it."""
        if self._apply_failed:
            # Nothing is taken in before what is in the log already gets into the state.
            failure = await self._apply_due()
            if failure is not None:
                self._fail(group, failure)
                return
        events = _events(group)
        loop = asyncio.get_running_loop()
        held = recall(self.state, events, self.log.known)
        appending = loop.run_in_executor(self._log_thread, self._append, events, held)
        beforehand = Beforehand(self.state, self.tables, events)
        looking = loop.run_in_executor(self._runs_thread, beforehand.look_up) if beforehand.asked else None
        await self._apply_due()
        try:
            appended = await appending
        except Exception as e:
            self._fail(group, e)
            return
        self.counters.commits += 1
        self._last_commit = time.monotonic()
        start = 0
        for waiting in group:
            waiting.appended = appended[start : start + len(waiting.events)]
            start += len(waiting.events)
            waiting.beforehand = beforehand
        if looking is not None:
            await looking
        self._due += group
        if self._apply_failed:
            await self._apply_due()

    async def _apply_due(self) -> Exception | None:
        """Applies what is in the log, in its order. What can fail is looking up runs in the
        tables; then all who wait are told, and it is tried again before anything is taken in."""
        try:
            while self._due:
                await self._apply(self._due[0])
                self._due.popleft()
        except Exception as e:
            self._apply_failed = True
            self._fail(self._due, e)
            return e
        self._apply_failed = False
        return None

    def _next_group(self) -> list[_Waiting]:
        total = count = 0
        for waiting in self._waiting:
            total += len(waiting.events)
            if count and total > EVENTS_PER_COMMIT:
                break
            count += 1
        group, self._waiting = self._waiting[:count], self._waiting[count:]
        if not self._waiting:
            self._wake.clear()
        return group

    def _append(self, events: list[Record], held: set[ContentId]) -> list[Appended]:
        return self.log.append(events, now(), held)

    def _fail(self, group: Iterable[_Waiting], error: Exception) -> None:
        self.counters.store_failures += 1
        self.last_failure = str(error)
        if not isinstance(error, HeadwaterError):
            logger.error("a commit failed", exc_info=error)
            error = StoreUnavailable(f"events could not be taken in: {error}")
        for waiting in group:
            if not waiting.done.done():
                waiting.done.set_exception(error)

    async def _apply(self, waiting: _Waiting) -> None:
        self.last_failure = None
        while waiting.applied < len(waiting.events):
            if waiting.applied:
                await asyncio.sleep(0)
            part = slice(waiting.applied, waiting.applied + EVENTS_PER_SLICE)
            told = zip(waiting.appended[part], waiting.events[part], strict=True)
            fresh = [(appended.position, event) for appended, event in told if not appended.duplicate]
            fold(self.state, waiting.beforehand or self.tables, fresh, self.live.news)
            self.live.publish()
            if self._readers:
                self._tell_readers()
            self.counters.accepted += len(fresh)
            self.counters.duplicates += len(waiting.events[part]) - len(fresh)
            waiting.applied += EVENTS_PER_SLICE
        if not waiting.done.done():  # the client may have left
            waiting.done.set_result(waiting.appended)

    # Read your own writes

    async def reached(self, position: Position, seconds: float) -> None:
        """Returns when the state has the event at that position. Raises NotYet after some time."""
        if self.state.position >= position:
            return
        reader = _Reader(position, asyncio.get_running_loop().create_future())
        self._readers.add(reader)
        try:
            async with asyncio.timeout(seconds):
                await reader.done
        except TimeoutError:
            raise NotYet(
                f"position {position} is not reached after {seconds:g} s; the last one is {self.state.position}"
            ) from None
        finally:
            self._readers.discard(reader)

    def _tell_readers(self) -> None:
        for reader in self._readers:
            if reader.position <= self.state.position and not reader.done.done():
                reader.done.set_result(None)

    # To the tables

    async def _write_forever(self) -> None:
        took = WRITE_AFTER_SECONDS
        while True:
            await asyncio.sleep(min(max(took * _PAUSE_TIMES, _SOONEST_SECONDS), WRITE_AFTER_SECONDS))
            began = time.monotonic()
            try:
                await self.write_tables()
                took = time.monotonic() - began
                await asyncio.get_running_loop().run_in_executor(self._tidy_thread, self._tidy)
            except HeadwaterError as e:
                logger.warning("the tables fall behind, will try again: %s", e)
            except Exception:
                logger.exception("writing the tables failed, will try again")

    def _tidy(self) -> None:
        self.log.tidy()
        self.tables.tidy()

    async def write_tables(self, about: Iterable[Node] | None = None) -> None:
        """Brings the tables up to the state. Queries that read them call this first. One that is
        about a few jobs or datasets names them: mostly the tables have all of these already."""
        if about is not None and not any(self.is_unwritten(node) for node in about):
            return
        wanted = self.state.position
        async with self._writing:
            # Whoever was before us may have written it all.
            while self.tables_position < wanted:
                if self._unwritten is None:
                    settle_latest_runs(self.state, self.tables)
                    self._unwritten_nodes = self.state.dirty.nodes
                    self._unwritten = (take(self.state), self.state.position)
                rows, position = self._unwritten
                try:
                    await asyncio.get_running_loop().run_in_executor(
                        self._tables_thread, self.tables.write, rows, position
                    )
                except HeadwaterError as e:
                    self.last_failure = str(e)
                    raise
                self._unwritten, self.tables_position, self.last_failure = None, position, None
                self._unwritten_nodes = set()
                self.counters.table_writes += 1
                self.state.release_runs()

    async def catch_up(self, about: Iterable[Node] | None = None) -> None:
        """The same, for an answer: while the disk takes nothing, one of some seconds ago is better than none."""
        with suppress(StoreUnavailable):
            await self.write_tables(about)

    def unwritten_versions(self, datasets: Collection[Node]) -> tuple[list[Version], set[bytes]]:
        """Versions of some datasets as far as the tables lack them, and the ids of those, of any dataset, that
        the tables may still have although they count no more."""
        dirty, (rows, _) = self.state.dirty, self._unwritten or (None, 0)
        found = [version for version in dirty.versions.values() if version.dataset in datasets]
        gone = dirty.versions_gone - dirty.versions.keys()
        if rows is not None:
            stored = map(version_from, rows.upserts["dataset_versions"])
            found += [version for version in stored if version.dataset in datasets and version.uuid not in gone]
            gone |= set(rows.versions_gone) - dirty.versions.keys()
        return found, gone

    def is_unwritten(self, node: Node) -> bool:
        """Whether the tables lack something of a job or dataset. All that changes a run or a version
        marks its job or dataset."""
        return node in self.state.dirty.nodes or node in self._unwritten_nodes


def now() -> Micros:
    return Micros(time.time_ns() // 1000)


def _events(group: list[_Waiting]) -> list[Record]:
    return [event for waiting in group for event in waiting.events]
