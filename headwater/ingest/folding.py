"""The fold: log → state and tables, live and again.

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
from headwater.live.updates import News
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

# Work on the loop is cut into pieces of this many events, so that requests get their turn.
EVENTS_PER_SLICE = 64

EVENTS_PER_REPLAY_WRITE = 4096
_RUNS_PER_LOOK = 20

Progress = Callable[[int, int], None]

Record = Event | Edit


class StoredRuns(Protocol):
    """The tables, as far as the fold asks them."""

    def runs(self, ids: Sequence[RunId]) -> list[Run]: ...


def fold(
    state: State, tables: StoredRuns, records: Sequence[tuple[Position, Record]], news: News | None = None
) -> None:
    """Interprets events and applies them, with the runs that they touch at hand; edits too, as
    the order does not matter after the events. What each of them changes is noted in `news`; a
    replay has none."""
    events = [(position, record) for position, record in records if isinstance(record, Event)]
    _fold_events(state, tables, events, news)
    if len(events) < len(records):
        for position, record in records:
            if isinstance(record, Edit):
                try:
                    apply_edit(state, position, record)
                except Exception:
                    logger.exception("edit %d could not be applied", position)
                if news is not None:
                    news.after_edit(position, record.change.at)


def _fold_events(state: State, tables: StoredRuns, events: Sequence[tuple[Position, Event]], news: News | None) -> None:
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
        if news is not None:
            news.before(event)
        try:
            apply_event(state, position, event, changes)
        except Exception:
            logger.exception("event %d could not be applied", position)
            apply_event(state, position, event, ())
        if news is not None:
            news.after(position, event)


class Beforehand:
    """Runs that the tables are asked for while the events about them go to disk."""

    def __init__(self, state: State, tables: StoredRuns, events: Iterable[Record]) -> None:
        self._state, self._tables, self._releases = state, tables, state.releases
        told = {event.run for event in events if isinstance(event, Event) and event.run is not None}
        self.asked = [run for run in told if run not in state.runs]
        self._known: dict[RunId, Run | None] = {}

    def look_up(self) -> None:
        """In a thread. If it fails, the fold asks again, and fails."""
        with suppress(Exception):
            found = {run.id: run for run in self._tables.runs(self.asked)}
            self._known = {run: found.get(run) for run in self.asked}

    def runs(self, ids: Sequence[RunId]) -> list[Run]:
        if self._state.releases != self._releases:
            self._known = {}  # a run that was in memory then, and changed, may be there no more
        found = [run for run in map(self._known.get, ids) if run is not None]
        others = [run for run in ids if run not in self._known]
        return found + self._tables.runs(others) if others else found


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
    if not unsure:
        return
    at_hand: dict[Node, list[Run]] = {node: [] for node in unsure}
    for run in state.runs.values():
        if run.job in unsure:
            at_hand[run.job].append(run)
    for node in unsure:
        candidates = [*at_hand[node], *_latest_stored(state, tables, node)]
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
    batch: list[tuple[Position, Record]] = []

    def flush() -> None:
        nonlocal done, batch
        fold(state, tables, batch)
        done += len(batch)
        batch = []
        if progress is not None:
            progress(done, total)

    for stored in log.read(state.position):
        try:
            body = stored.body
            batch.append((stored.position, decode_edit(body) if is_edit(body) else decode(body)))
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
