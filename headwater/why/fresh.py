"""How fresh a dataset was at a moment, going by the runs of the jobs that write it."""

from collections.abc import Mapping, Sequence

import msgspec

from headwater.ids import Micros, Node
from headwater.model.entities import OUTPUT, Run, use_key
from headwater.store.protocol import Sign
from headwater.why.pace import (
    BATCH,
    every,
    last_write,
    patience,
    seen,
    sign_every,
    silent_after,
    state_at,
    takes,
)

# A stream is restarted now and then; further back than this nobody looks for its last write.
STREAM_RUNS = 3


class Fresh(msgspec.Struct, frozen=True):
    written: Micros
    job: Node
    run: Run
    every: float | None = None  # in microseconds
    expected: Micros | None = None
    late: bool = False


def freshness(
    names: Sequence[Node],
    writers: Mapping[Node, str],
    runs: Mapping[Node, Sequence[Run]],
    signs: Mapping[int, Sequence[Sign]],
    at: Micros,
) -> Fresh | None:
    """`names`: the dataset by all its names; `writers`: jobs with their kind."""
    writes: list[tuple[Micros, Run, Node]] = []
    for job, kind in writers.items():
        for run in _writing(names, runs.get(job, ())):
            written = last_write(kind, run, signs.get(run.row, ()), at)
            if written is not None:
                writes.append((written, run, job))
    if not writes:
        return None
    written, run, job = max(writes, key=lambda one: (one[0], one[1].order))
    its_runs = _writing(names, runs[job])
    if writers[job] == BATCH:
        return _batch(written, job, run, its_runs, at)
    return _stream(written, job, run, its_runs[0], signs, at)


def _writing(names: Sequence[Node], runs: Sequence[Run]) -> list[Run]:
    """Runs that wrote the dataset. Where runs report no dataset at all, only their job does,
    and they are taken to do what it does."""
    keys = {use_key(name, OUTPUT) for name in names}
    return [run for run in seen(runs) if not run.uses or not keys.isdisjoint(run.uses)]


def _batch(written: Micros, job: Node, run: Run, runs: Sequence[Run], at: Micros) -> Fresh:
    interval = every(runs)
    if interval is None:
        return Fresh(written, job, run)
    expected = Micros(round(run.order[0] + interval + (takes(runs, at) or 0)))
    return Fresh(written, job, run, interval, expected, at - expected > patience(runs, interval))


def _stream(
    written: Micros, job: Node, run: Run, latest: Run, signs: Mapping[int, Sequence[Sign]], at: Micros
) -> Fresh:
    interval = sign_every(signs.get(run.row, ()))
    if state_at(latest, at) == "COMPLETED":  # it came to its end, and nothing more is due
        return Fresh(written, job, run, interval)
    expected = None if interval is None else Micros(round(written + interval))
    return Fresh(written, job, run, interval, expected, at - written > silent_after(interval))
