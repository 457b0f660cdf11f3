"""The whole path on one page: decode → append → interpret → apply → write to the tables.

    POST ──► decode ──► waiting ──► log.append ──► interpret ──► state.apply ──► answer
             (loop)                 (log thread,     (loop)         (loop)
                                     one fsync for                    │
                                     all that wait)                   └─► now and then: tables.write
                                                                          (tables thread)

The log is the truth. The state in memory is the fold of the log, and the tables hold that
state as of some position, so after a crash the rest of the log is replayed onto them.
Everything in memory is touched on the event loop only: no locks, and a query sees whole events.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from headwater.errors import BadEvent, HeadwaterError, StoreDamaged, StoreUnavailable
from headwater.ids import Micros, Node, Position
from headwater.interpret import interpret
from headwater.model.apply import apply_event
from headwater.model.changes import AnyChange, RunNamed
from headwater.model.entities import Run
from headwater.model.state import State
from headwater.openlineage.event import Event, decode
from headwater.store.protocol import Appended, Log, Tables
from headwater.store.rows import Rows, take

logger = logging.getLogger(__name__)

# One commit takes at most this many events: a larger one would hold up the loop while it is
# applied (about 60 µs an event) and gains nothing, as the fsync is already well shared.
EVENTS_PER_COMMIT = 256

# The tables follow the log at this distance. Waiting lets the events of half a second share
# the write of the jobs and datasets that they all touch; queries that need the tables do not
# wait for it.
WRITE_AFTER_SECONDS = 0.5

# Work on the loop is cut into pieces of this many events, so that requests get their turn.
EVENTS_PER_SLICE = 64

# A commit has a fixed cost of half a millisecond or so. When the last one was shared by some
# requests, the next one waits this long for more to share it; a lone client never waits.
_A_CROWD, _GATHER_SECONDS = 4, 0.003

EVENTS_PER_REPLAY_WRITE = 4096
_RUNS_PER_LOOK = 20
_A_MOMENT_SECONDS = 0.1

Progress = Callable[[int, int], None]


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
    events: Sequence[Event]
    done: "asyncio.Future[list[Appended]]" = field(repr=False)


class Service:
    def __init__(self, log: Log, tables: Tables, state: State) -> None:
        self.log, self.tables, self.state = log, tables, state
        self.counters = Counters()
        self._waiting: list[_Waiting] = []
        self._wake = asyncio.Event()
        self._log_thread = ThreadPoolExecutor(1, "headwater-log")
        self._tables_thread = ThreadPoolExecutor(1, "headwater-tables")
        # Rows that were taken from the state, until the disk has them.
        self._unwritten: tuple[Rows, Position] | None = None
        self.tables_position = state.position
        self.last_failure: str | None = None  # why the disk refused the last write, if it did
        self._writing = asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self._last_commit = 0.0
        # A group that is in the log, until it is in the state.
        self._due: tuple[list[_Waiting], list[Appended]] | None = None

    async def start(self) -> None:
        self._tasks = [
            asyncio.create_task(self._commit_forever(), name="commit"),
            asyncio.create_task(self._write_forever(), name="write tables"),
        ]

    async def stop(self) -> None:
        """Ends after all that was accepted is in the tables."""
        while self._waiting:
            await asyncio.sleep(0.01)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await self.write_tables()
        except StoreUnavailable as e:
            logger.warning("the tables will be completed from the log at the next start: %s", e)
        self._log_thread.shutdown()
        self._tables_thread.shutdown()
        self.log.close()
        self.tables.close()

    def events_come_in(self) -> bool:
        """Whether there was an event a moment ago."""
        return bool(self._waiting) or time.monotonic() - self._last_commit < _A_MOMENT_SECONDS

    # In

    async def ingest(self, events: Sequence[Event]) -> list[Appended]:
        """Returns when the events are on disk and in the graph."""
        answer: list[Appended] = []
        for start in range(0, len(events), EVENTS_PER_COMMIT):
            answer += await self._enqueue(events[start : start + EVENTS_PER_COMMIT])
        return answer

    def _enqueue(self, events: Sequence[Event]) -> "asyncio.Future[list[Appended]]":
        done: asyncio.Future[list[Appended]] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(events, done))
        self._wake.set()
        return done

    async def _commit_forever(self) -> None:
        loop = asyncio.get_running_loop()
        group: list[_Waiting] = []
        while True:
            await self._wake.wait()
            if len(group) >= _A_CROWD and len(self._waiting) < EVENTS_PER_COMMIT // 8:
                # Several clients are at it, and more of them will be here in a moment.
                await asyncio.sleep(_GATHER_SECONDS)
            group = self._next_group()
            try:
                await self._apply_what_is_due()
                appended = await loop.run_in_executor(self._log_thread, self._append, _events(group))
                self._due = (group, appended)
                await self._apply_what_is_due()
            except Exception as e:
                self._fail(group, e)

    async def _apply_what_is_due(self) -> None:
        """Events in the log must get into the state, and before any others. What can fail is
        looking up their runs in the tables; then nothing else is taken in until that works."""
        if self._due is not None:
            await self._apply_group(*self._due)
            self._due = None

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

    def _append(self, events: list[Event]) -> list[Appended]:
        return self.log.append(events, now())

    def _fail(self, group: list[_Waiting], error: Exception) -> None:
        self.counters.store_failures += 1
        self.last_failure = str(error)
        if not isinstance(error, HeadwaterError):
            logger.error("a commit failed", exc_info=error)
            error = StoreUnavailable(f"events could not be taken in: {error}")
        for waiting in group:
            if not waiting.done.done():
                waiting.done.set_exception(error)

    async def _apply_group(self, group: list[_Waiting], appended: list[Appended]) -> None:
        self.counters.commits += 1
        self._last_commit = time.monotonic()
        self.last_failure = None
        start = 0
        for waiting in group:
            mine = appended[start : start + len(waiting.events)]
            start += len(mine)
            fresh = [(a.position, e) for a, e in zip(mine, waiting.events, strict=True) if not a.duplicate]
            for at in range(0, len(fresh), EVENTS_PER_SLICE):
                if at:
                    await asyncio.sleep(0)
                fold(self.state, self.tables, fresh[at : at + EVENTS_PER_SLICE])
            self.counters.accepted += len(fresh)
            self.counters.duplicates += len(mine) - len(fresh)
            if not waiting.done.done():  # the client may have left
                waiting.done.set_result(mine)

    # To the tables

    async def _write_forever(self) -> None:
        while True:
            await asyncio.sleep(WRITE_AFTER_SECONDS)
            try:
                await self.write_tables()
            except HeadwaterError as e:
                logger.warning("the tables fall behind, will try again: %s", e)
            except Exception:
                logger.exception("writing the tables failed, will try again")

    async def write_tables(self) -> None:
        """Brings the tables up to the state. Queries that read them call this first."""
        wanted = self.state.position
        async with self._writing:
            # Whoever was before us may have written it all.
            while self.tables_position < wanted:
                if self._unwritten is None:
                    settle_latest_runs(self.state, self.tables)
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
                self.counters.table_writes += 1
                if not self.state.dirty.runs:
                    self.state.release_runs()


def fold(state: State, tables: Tables, events: Sequence[tuple[Position, Event]]) -> None:
    """Interprets events and applies them, with the runs that they touch at hand."""
    said = [(position, event, _meaning(position, event)) for position, event in events]
    missing = {event.run for _, event in events if event.run is not None and event.run not in state.runs}
    missing.update(
        change.run
        for _, event, changes in said
        if "parent" in event.run_facets
        for change in changes
        if isinstance(change, RunNamed) and change.run not in state.runs
    )
    if missing:
        for run in tables.runs(list(missing)):
            state.adopt(run)
    for position, event, changes in said:
        try:
            apply_event(state, position, event, changes)
        except Exception:
            logger.exception("event %d could not be applied", position)
            apply_event(state, position, event, ())


def _meaning(position: Position, event: Event) -> list[AnyChange]:
    """What an event says. Should we fail at it, here or in applying it, that is a mistake of
    ours: the event is safe in the log, and must not keep others out, now or at any restart."""
    try:
        return interpret(event)
    except Exception:
        logger.exception("event %d could not be interpreted", position)
        return []


def settle_latest_runs(state: State, tables: Tables) -> None:
    """Finds the latest run of jobs whose latest one moved back in time or left. The tables know
    the runs that are not in memory; of the others they may know an older state."""
    unsure, state.dirty.latest_unsure = state.dirty.latest_unsure, set()
    for node in unsure:
        at_hand = [run for run in state.runs.values() if run.job == node]
        candidates = [*at_hand, *_latest_stored(state, tables, node)]
        # Runs that others only named are no runs that one could show.
        seen = [run for run in candidates if run.first is not None]
        state.job_of(node).latest = max(seen, key=lambda run: run.order, default=None)
        state.mark(node)


def _latest_stored(state: State, tables: Tables, node: Node) -> list[Run]:
    offset = 0
    while page := tables.runs_of_job(node, _RUNS_PER_LOOK, offset):
        for run in page:
            if run.id not in state.runs:
                return [run]
        offset += _RUNS_PER_LOOK
    return []


def replay(log: Log, tables: Tables, state: State, progress: Progress | None = None) -> None:
    """Folds the rest of the log, from the state's position on, and writes the tables."""
    total = log.last() - state.position
    done = 0
    batch: list[tuple[Position, Event]] = []

    def flush() -> None:
        nonlocal done, batch
        fold(state, tables, batch)
        done += len(batch)
        batch = []
        if progress is not None:
            progress(done, total)

    for stored in log.read(state.position):
        try:
            batch.append((stored.position, decode(stored.body)))
        except BadEvent as e:
            # It was accepted once, by a version that saw it otherwise. It stays in the log.
            logger.error("event %d of the log is passed over: %s", stored.position, e)
            continue
        if len(batch) == EVENTS_PER_SLICE:
            flush()
            if len(state.dirty.events) >= EVENTS_PER_REPLAY_WRITE:
                _write(tables, state)
    flush()
    state.position = max(state.position, log.last())
    _write(tables, state)


def _write(tables: Tables, state: State) -> None:
    settle_latest_runs(state, tables)
    tables.write(take(state), state.position)
    state.release_runs()


def recover(log: Log, tables: Tables, progress: Progress | None = None) -> State:
    """The state of the whole log, from the tables as far as they go."""
    try:
        if tables.position() > log.last():
            raise StoreDamaged("the log ends before them")
        state = tables.load()
    except Exception as e:  # whatever it is, nothing is lost with them
        logger.warning("the tables cannot be used (%s); they are made anew from the log", e)
        tables.clear()
        state = State()
    replay(log, tables, state, progress)
    return state


def rebuild(log: Log, tables: Tables, progress: Progress | None = None) -> State:
    """Forgets the tables and folds the whole log anew."""
    tables.clear()
    state = State()
    replay(log, tables, state, progress)
    return state


def now() -> Micros:
    return Micros(time.time_ns() // 1000)


def _events(group: list[_Waiting]) -> list[Event]:
    return [event for waiting in group for event in waiting.events]
