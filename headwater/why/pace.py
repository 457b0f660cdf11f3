"""A job's pace: how often it runs and for how long, and whether it was in trouble at a moment."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

import msgspec

from headwater.ids import Micros
from headwater.model.entities import Run
from headwater.openlineage.event import EventType
from headwater.shapes.why import SuspectKind
from headwater.store.protocol import Sign

SECOND = 1_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 24 * 3600 * SECOND

# How many runs of a job, and how many events of a run, are looked at. Twenty show a rhythm and
# a break in it some time ago, and 200 jobs are still read in well under a second.
RUNS, SIGNS = 20, 21

# Fewer intervals or values are no habit; and one from which a quarter departs is none either.
FEWEST, MOSTLY = 4, 0.75

FEWEST_DURATIONS = 3
# A punctual job is late after a tenth of its interval, one that wavers after up to half of it.
LATE_SOONEST, LATE_LATEST, LATE_LEAST = 0.1, 0.5, 10 * MINUTE
WAVERING = 4  # times the median departure from the usual interval
STUCK_FACTOR, STUCK_LEAST = 3, 10 * MINUTE
SILENT_FACTOR, SILENT_LEAST, SILENT_DEFAULT = 5, MINUTE, 5 * MINUTE
# A batch run of a job that never ended one says when it starts and when it ends, if at all.
SILENT_BATCH = DAY

BATCH, STREAM, SERVICE = "BATCH", "STREAM", "SERVICE"
_BAD_ENDS = {"FAILED": SuspectKind.RUN_FAILED, "ABORTED": SuspectKind.RUN_ABORTED}


class Trouble(msgspec.Struct, frozen=True):
    kind: SuspectKind
    run: Run  # the one in trouble; of a late job the last one
    at: Micros  # since when
    state: str  # of the run at the moment of the query
    every: float | None = None  # how often the job usually runs, or its run gives a sign
    takes: float | None = None  # how long the job usually runs
    again: Run | None = None  # a newer run, which is under way
    sure: bool = True  # False where there is no habit to compare with


class Expected(msgspec.Struct, frozen=True, gc=False):
    """What is due from a job: its next run, or the next event or the end of the one that is running."""

    kind: SuspectKind  # what it counts as after `until`
    since: Micros  # when the run was due, or the last event of the running one
    until: float
    every: float | None = None
    takes: float | None = None
    sure: bool = True


def state_at(run: Run, at: Micros) -> str:
    """A run that ended later was still running."""
    ended = run.ended_at
    if ended is not None and ended <= at:
        return run.state
    return "RUNNING" if run.active or ended is not None else "NEW"


def habit(values: Sequence[float]) -> float | None:
    """The median, if there is a habit at all: most values lie between half and twice of it."""
    if len(values) < FEWEST:
        return None
    usual = median(values)
    near = sum(usual / 2 <= value <= usual * 2 for value in values)
    return usual if near >= MOSTLY * len(values) else None


def every(runs: Sequence[Run]) -> float | None:
    """How often a job runs, in microseconds between two starts, by its last ten intervals."""
    return habit(_intervals(runs))


def _intervals(runs: Sequence[Run]) -> list[int]:
    return [later.order[0] - earlier.order[0] for later, earlier in pairwise(runs[:11])]


def sign_every(signs: Sequence[Sign]) -> float | None:
    """How often a run gives a sign."""
    gaps = [later.time - earlier.time for later, earlier in pairwise(signs)]
    return median(gaps) if len(gaps) >= FEWEST else None


def takes(runs: Sequence[Run], at: Micros) -> float | None:
    """How long the job's runs take when they come to a good end."""
    durations = [
        run.ended_at - run.started_at
        for run in runs
        if state_at(run, at) == "COMPLETED" and run.ended_at is not None and run.started_at is not None
    ]
    return median(durations) if len(durations) >= FEWEST_DURATIONS else None


def patience(runs: Sequence[Run], interval: float) -> float:
    """How long after it was due a job's next run counts as late."""
    wavers = WAVERING * median(abs(value - interval) for value in _intervals(runs))
    return max(LATE_LEAST, min(max(wavers, interval * LATE_SOONEST), interval * LATE_LATEST))


def silent_after(interval: float | None) -> float:
    """How long after its last sign a stream counts as stuck."""
    return max(interval * SILENT_FACTOR, SILENT_LEAST) if interval is not None else SILENT_DEFAULT


def seen(runs: Sequence[Run]) -> list[Run]:
    """Runs with events of their own; others were only named."""
    return [run for run in runs if run.first is not None]


def trouble(kind: str, runs: Sequence[Run], signs: Mapping[int, Sequence[Sign]], at: Micros) -> Trouble | None:
    """What is wrong with a job at a moment, going by its runs up to then, the latest first."""
    if not runs:
        return None
    latest = runs[0]
    state = state_at(latest, at)
    if state in _BAD_ENDS:
        return _ended_badly(latest, state)
    due = expected(kind, runs, signs, at)
    if due is not None and at > due.until:
        return Trouble(due.kind, latest, due.since, state, due.every, due.takes, sure=due.sure)
    return _failed_before(runs, at) if kind == BATCH and state == "RUNNING" else None


def _ended_badly(run: Run, state: str, again: Run | None = None) -> Trouble:
    assert run.ended_at is not None
    return Trouble(_BAD_ENDS[state], run, run.ended_at, state, again=again)


def _failed_before(runs: Sequence[Run], at: Micros) -> Trouble | None:
    """A new attempt is under way; until it ends, the data is as the one before left it."""
    if len(runs) < 2 or state_at(runs[1], at) not in _BAD_ENDS:
        return None
    return _ended_badly(runs[1], state_at(runs[1], at), again=runs[0])


def expected(kind: str, runs: Sequence[Run], signs: Mapping[int, Sequence[Sign]], at: Micros) -> Expected | None:
    """What is due from a job next, going by its runs up to a moment, the latest first."""
    latest = runs[0]
    state = state_at(latest, at)
    if state in _BAD_ENDS:
        return None
    if kind == BATCH:
        return _end_expected(runs, signs.get(latest.row, ()), at) if state == "RUNNING" else _run_expected(runs)
    return _event_expected(kind, latest, signs.get(latest.row, ()), at) if state == "RUNNING" else None


def _last_sign(run: Run, signs: Sequence[Sign], at: Micros) -> Micros:
    return signs[0].time if signs else min(run.order[0], at)


def _end_expected(runs: Sequence[Run], signs: Sequence[Sign], at: Micros) -> Expected:
    """A batch run is due to end."""
    run, usual = runs[0], takes(runs[1:], at)
    last = _last_sign(run, signs, at)
    if usual is None:
        return Expected(SuspectKind.RUN_STUCK, last, last + SILENT_BATCH, sure=False)
    return Expected(SuspectKind.RUN_STUCK, last, run.order[0] + max(usual * STUCK_FACTOR, STUCK_LEAST), takes=usual)


def _event_expected(kind: str, run: Run, signs: Sequence[Sign], at: Micros) -> Expected | None:
    """A stream is due to send an event."""
    interval = sign_every(signs)
    if kind == SERVICE and interval is None:
        return None  # a service without a habit of reporting may be silent for good reason
    last = _last_sign(run, signs, at)
    until = last + silent_after(interval)
    return Expected(SuspectKind.RUN_STUCK, last, until, every=interval, sure=interval is not None)


def _run_expected(runs: Sequence[Run]) -> Expected | None:
    """A batch job is due to run again."""
    interval = every(runs)
    if interval is None:
        return None
    due = runs[0].order[0] + interval
    return Expected(SuspectKind.RUN_LATE, Micros(round(due)), due + patience(runs, interval), every=interval)


def last_write(kind: str, run: Run, signs: Sequence[Sign], at: Micros) -> Micros | None:
    """When a run that writes a dataset last did so. A batch run writes when it completes, a
    stream with every RUNNING event."""
    if kind == BATCH:
        return run.ended_at if state_at(run, at) == "COMPLETED" else None
    written = (EventType.RUNNING, EventType.COMPLETE)
    return next((sign.time for sign in signs if sign.kind in written), None)
