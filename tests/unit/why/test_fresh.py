"""How fresh a dataset is, going by runs."""

from typing import Any

from headwater.openlineage.timestamps import parse
from headwater.why import pace
from headwater.why.fresh import Fresh, freshness
from headwater.why.pace import HOUR, MINUTE
from tests.support.make import dataset, run, symlinks, time
from tests.support.world import World

Json = dict[str, Any]


def fresh(events: list[Json], at: float, name: str = "out", kind: str = pace.BATCH) -> Fresh | None:
    world = World(events)
    moment = parse(time(at))
    names = world.state.aliases.members(world.node(name))
    writers = {e.src: kind for n in names for e in world.state.nodes[n].into}
    runs = world.tables.recent_runs(list(writers), moment, pace.RUNS)
    signs = world.tables.run_signs([r.row for some in runs.values() for r in some], moment, pace.SIGNS)
    return freshness(names, writers, runs, signs, moment)


def load(*minutes: float, took: float = 5, job: str = "load") -> list[Json]:
    events: list[Json] = []
    for at in minutes:
        events.append(run("START", job, at, f"{job}{at}", ["raw"], ["out"]))
        events.append(run("COMPLETE", job, at + took, f"{job}{at}", ["raw"], ["out"]))
    return events


HOURLY = load(0, 60, 120, 180, 240)


def test_a_batch_run_writes_when_it_completes() -> None:
    assert fresh(load(10), 14) is None
    freshness = fresh(load(10), 15)
    assert freshness is not None
    assert (freshness.written, freshness.run.id, freshness.every, freshness.late) == (
        parse(time(15)),
        "load10",
        None,
        False,
    )


def test_the_next_write_is_due_an_interval_and_a_run_later() -> None:
    freshness = fresh(HOURLY, 300)
    assert freshness is not None
    assert (freshness.written, freshness.every, freshness.expected) == (parse(time(245)), HOUR, parse(time(305)))
    assert not freshness.late
    late = fresh(HOURLY, 316)
    assert late is not None
    assert late.late


def test_a_failed_run_writes_nothing_and_the_dataset_grows_late() -> None:
    failed = [run("START", "load", 300, "bad", ["raw"], ["out"]), run("FAIL", "load", 301, "bad", ["raw"], ["out"])]
    freshness = fresh([*HOURLY, *failed], 330)
    assert freshness is not None
    assert (freshness.written, freshness.late) == (parse(time(245)), True)


def test_a_stream_writes_with_every_running_event() -> None:
    events = [run("RUNNING" if at else "START", "s", at, "s", ["raw"], ["out"]) for at in range(0, 60, 10)]
    freshness = fresh(events, 55, kind=pace.STREAM)
    assert freshness is not None
    assert (freshness.written, freshness.every, freshness.expected) == (parse(time(50)), 10 * MINUTE, parse(time(60)))
    assert not freshness.late
    stuck = fresh(events, 101, kind=pace.STREAM)
    assert stuck is not None
    assert stuck.late
    assert fresh(events[:1], 55, kind=pace.STREAM) is None


def test_a_stream_that_came_to_its_end_is_not_late() -> None:
    events = [run(kind, "s", at, "s", ["raw"], ["out"]) for at, kind in enumerate(("START", "RUNNING", "COMPLETE"))]
    freshness = fresh(events, 10_000, kind=pace.STREAM)
    assert freshness is not None
    assert (freshness.written, freshness.expected, freshness.late) == (parse(time(2)), None, False)


def test_of_several_writers_the_last_one_counts() -> None:
    freshness = fresh([*load(10), *load(20, job="other")], 100)
    assert freshness is not None
    assert freshness.run.id == "other20"


def test_what_was_written_by_another_name_counts() -> None:
    named = run("COMPLETE", "w", 50, "w", [], [dataset(("hive", "t"))])
    freshness = fresh([run("COMPLETE", "load", 1, "l", [], [dataset("out", symlinks(("hive", "t")))]), named], 100)
    assert freshness is not None
    assert freshness.run.id == "w"


def test_runs_of_the_writer_that_wrote_something_else_do_not_count() -> None:
    other = run("COMPLETE", "load", 50, "x", ["raw"], ["elsewhere"])
    freshness = fresh([*load(10), other], 100)
    assert freshness is not None
    assert freshness.run.id == "load10"
