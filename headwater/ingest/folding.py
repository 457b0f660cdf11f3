"""The fold: log → state and tables, live or again from the log.

events, edits ─► interpret ─► apply to the state          fold()
log ─► decode ─► fold, write tables every so often        replay(), recover(), rebuild()
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Protocol

from headwater.errors import BadEvent, StoreDamaged
from headwater.ids import Node, Position, RunId
from headwater.interpret import interpret
from headwater.interpret.known_facets import KnownFacets
from headwater.live.updates import UpdateRecorder
from headwater.model.apply import apply_event
from headwater.model.apply_edits import apply_edit
from headwater.model.changes import AnyChange, RunNamed
from headwater.model.edits import Edit, decode_edit, is_edit
from headwater.model.entities import Run
from headwater.model.state import State
from headwater.openlineage.event import Event, decode
from headwater.store.protocol import Log, Tables
from headwater.store.rows import take

logger = logging.getLogger(__name__)

# Work on the event loop is cut into slices of this many events, so that requests get their turn.
EVENTS_PER_SLICE = 64

EVENTS_PER_REPLAY_WRITE = 4096
_RUNS_PER_LOOK = 20

Progress = Callable[[int, int], None]

Record = Event | Edit


class StoredRuns(Protocol):
    """The tables, as far as the fold queries them."""

    def runs(self, ids: Sequence[RunId]) -> list[Run]: ...


def fold(
    state: State,
    tables: StoredRuns,
    records: Sequence[tuple[Position, Record]],
    known: KnownFacets,
    updates: UpdateRecorder | None = None,
) -> None:
    """Interprets events and applies them, after loading the runs that they touch; edits too, as the order does not
    matter after the events. What each of them changes goes to `updates`; a replay has none."""
    events = [(position, record) for position, record in records if isinstance(record, Event)]
    _fold_events(state, tables, events, known, updates)
    if len(events) < len(records):
        for position, record in records:
            if isinstance(record, Edit):
                try:
                    apply_edit(state, position, record)
                except Exception:
                    logger.exception("edit %d could not be applied", position)
                if updates is not None:
                    updates.after_edit(position, record.change.at)


def _fold_events(
    state: State,
    tables: StoredRuns,
    events: Sequence[tuple[Position, Event]],
    known: KnownFacets,
    updates: UpdateRecorder | None,
) -> None:
    interpreted = [(position, event, _changes(position, event, known)) for position, event in events]
    missing = {event.run for _, event in events if event.run is not None and event.run not in state.runs}
    missing.update(
        change.run
        for _, event, changes in interpreted
        if "parent" in event.run_facets
        for change in changes
        if isinstance(change, RunNamed) and change.run not in state.runs
    )
    if missing:
        for run in tables.runs(list(missing)):
            state.adopt(run)
    for position, event, changes in interpreted:
        if updates is not None:
            updates.before(event)
        try:
            apply_event(state, position, event, changes)
        except Exception:
            logger.exception("event %d could not be applied", position)
            apply_event(state, position, event, ())
        if updates is not None:
            updates.after(position, event)


def _changes(position: Position, event: Event, known: KnownFacets) -> list[AnyChange]:
    """What an event reports. If this fails, or applying it does, that is a bug of ours: the event is
    safe in the log, and must not keep others out, now or at any restart."""
    try:
        return interpret(event, known)
    except Exception:
        logger.exception("event %d could not be interpreted", position)
        return []


class PrefetchedRuns:
    """Runs that are read from the tables while the events about them go to disk."""

    def __init__(self, state: State, tables: StoredRuns, events: Iterable[Record]) -> None:
        self._state, self._tables, self._releases = state, tables, state.releases
        runs = {event.run for event in events if isinstance(event, Event) and event.run is not None}
        self.missing = [run for run in runs if run not in state.runs]
        self._fetched: dict[RunId, Run | None] = {}

    def fetch(self) -> None:
        """In a thread. If it fails, the fold tries again, and fails."""
        with suppress(Exception):
            stored = {run.id: run for run in self._tables.runs(self.missing)}
            self._fetched = {run: stored.get(run) for run in self.missing}

    def runs(self, ids: Sequence[RunId]) -> list[Run]:
        if self._state.releases != self._releases:
            self._fetched = {}  # a run that was in memory then, and changed, may have left it
        fetched = [run for run in map(self._fetched.get, ids) if run is not None]
        others = [run for run in ids if run not in self._fetched]
        return fetched + self._tables.runs(others) if others else fetched


def settle_latest_runs(state: State, tables: Tables) -> None:
    """Finds the latest run of jobs whose latest one moved back in time or left. The tables have
    the runs that are not in memory; of the others they may have an older state."""
    unsure, state.dirty.latest_unsure = state.dirty.latest_unsure, set()
    if not unsure:
        return
    in_memory: dict[Node, list[Run]] = {node: [] for node in unsure}
    for run in state.runs.values():
        if run.job in unsure:
            in_memory[run.job].append(run)
    for node in unsure:
        candidates = [*in_memory[node], *_latest_stored(state, tables, node)]
        # Runs that others only named cannot be shown.
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
    known = KnownFacets()
    done = 0
    batch: list[tuple[Position, Record]] = []

    def flush() -> None:
        nonlocal done, batch
        fold(state, tables, batch, known)
        done += len(batch)
        batch = []
        if progress is not None:
            progress(done, total)

    for stored in log.read(state.position):
        try:
            body = stored.body
            batch.append((stored.position, decode_edit(body) if is_edit(body) else decode(body)))
        except BadEvent as e:
            # It was accepted once, by a version with other rules. It stays in the log.
            logger.error("event %d of the log was skipped: %s", stored.position, e)
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
    """The state of the whole log: loaded from the tables, and the rest of the log folded onto it."""
    try:
        if tables.position() > log.last():
            raise StoreDamaged("they are ahead of the log")
        state = tables.load()
    except Exception as e:  # whatever it is, nothing is lost with them
        logger.warning("the tables cannot be used (%s); rebuilding them from the log", e)
        tables.clear()
        state = State()
    replay(log, tables, state, progress)
    return state


def rebuild(log: Log, tables: Tables, progress: Progress | None = None) -> State:
    """Clears the tables and folds the whole log again."""
    tables.clear()
    state = State()
    replay(log, tables, state, progress)
    return state
