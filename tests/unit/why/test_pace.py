"""Late, stuck, failed: how a job stood at a moment."""

from typing import Any

import pytest

from headwater.ids import Node
from headwater.openlineage.timestamps import parse
from headwater.shapes.why import SuspectKind
from headwater.why import pace
from headwater.why.pace import HOUR, MINUTE, Trouble, habit
from tests.support.make import facet, run, time
from tests.support.world import World

Json = dict[str, Any]


def runs(*minutes: float, took: float = 2, job: str = "load") -> list[Json]:
    """Runs that start at these minutes and come to a good end."""
    events: list[Json] = []
    for number, at in enumerate(minutes):
        events += [run("START", job, at, f"r{number}"), run("COMPLETE", job, at + took, f"r{number}")]
    return events


def trouble(events: list[Json], at: float, kind: str = pace.BATCH, job: str = "load()") -> Trouble | None:
    world = World(events)
    moment = parse(time(at))
    node: Node = world.node(job)
    seen = pace.seen(world.tables.recent_runs([node], moment, pace.RUNS).get(node, []))
    signs = world.tables.run_signs([r.row for r in seen[:2]], moment, pace.SIGNS)
    return pace.trouble(kind, seen, signs, moment)


def kind_of(problem: Trouble | None) -> str | None:
    return problem.kind if problem is not None else None


EVERY_HOUR = (0, 60, 120, 180, 240, 300)


def test_a_punctual_job_is_late_ten_minutes_after_it_was_due() -> None:
    assert trouble(runs(*EVERY_HOUR), 369) is None
    problem = trouble(runs(*EVERY_HOUR), 371)
    assert problem is not None
    assert (problem.kind, problem.at, problem.every) == (SuspectKind.RUN_LATE, parse(time(360)), HOUR)


def test_a_daily_job_has_more_patience() -> None:
    daily = runs(*(day * 1440 for day in range(6)))
    assert trouble(daily, 6 * 1440 + 140) is None
    assert kind_of(trouble(daily, 6 * 1440 + 150)) == SuspectKind.RUN_LATE


def test_a_job_that_wavers_has_up_to_half_an_interval() -> None:
    wavering = runs(0, 50, 130, 180, 260, 310, 390)
    assert trouble(wavering, 390 + 65 + 30) is None
    assert kind_of(trouble(wavering, 390 + 65 + 35)) == SuspectKind.RUN_LATE


def test_few_runs_are_no_habit() -> None:
    assert trouble(runs(*EVERY_HOUR[:4]), 10_000) is None
    assert kind_of(trouble(runs(*EVERY_HOUR[:5]), 10_000)) == SuspectKind.RUN_LATE


def test_a_job_that_runs_now_and_then_is_never_late() -> None:
    assert trouble(runs(0, 1, 2, 500, 501, 4000, 4001, 4002), 100_000) is None


def test_weekends_do_not_make_a_weekday_job_irregular() -> None:
    days = [day for day in range(14) if day % 7 < 5]
    problem = trouble(runs(*(day * 1440 for day in days)), 14 * 1440)
    assert problem is not None
    assert problem.every == 24 * HOUR


@pytest.mark.parametrize("kind", [pace.STREAM, pace.SERVICE])
def test_streams_and_services_are_never_late(kind: str) -> None:
    assert trouble(runs(*EVERY_HOUR), 10_000, kind) is None


def test_a_run_that_ended_later_was_running() -> None:
    events = [*runs(0, 60, 120), run("START", "load", 200, "x"), run("FAIL", "load", 205, "x")]
    assert trouble(events, 204) is None
    problem = trouble(events, 205)
    assert problem is not None
    assert (problem.kind, problem.at, problem.state) == (SuspectKind.RUN_FAILED, parse(time(205)), "FAILED")


def test_an_aborted_run_is_told_apart_from_a_failed_one() -> None:
    assert kind_of(trouble([run("ABORT", "load", 1)], 5)) == SuspectKind.RUN_ABORTED
    assert kind_of(trouble([run("ABORT", "load", 1)], 5, pace.STREAM)) == SuspectKind.RUN_ABORTED


def test_a_run_before_the_latest_counts_only_while_that_one_is_under_way() -> None:
    failed = run("FAIL", "load", 10, "a")
    assert kind_of(trouble([failed, run("START", "load", 12, "b")], 13)) == SuspectKind.RUN_FAILED
    assert trouble([failed, run("START", "load", 12, "b")], 13, pace.STREAM) is None
    assert trouble([failed, *runs(12, took=1)], 14) is None


def test_a_batch_run_is_stuck_when_it_takes_three_times_as_long() -> None:
    events = [*runs(0, 60, 120, took=10), run("START", "load", 180, "x")]
    assert trouble(events, 209) is None
    problem = trouble(events, 211)
    assert problem is not None
    assert (problem.kind, problem.takes, problem.at) == (SuspectKind.RUN_STUCK, 10 * MINUTE, parse(time(180)))


def test_short_runs_are_not_stuck_for_ten_minutes() -> None:
    events = [*runs(0, 60, 120, took=0.1), run("START", "load", 180, "x")]
    assert trouble(events, 189) is None
    assert kind_of(trouble(events, 191)) == SuspectKind.RUN_STUCK


def test_a_first_run_is_stuck_after_a_day_without_a_sign() -> None:
    events = [run("START", "load", 0), run("RUNNING", "load", 600)]
    assert trouble(events, 600 + 1439) is None
    problem = trouble(events, 600 + 1441)
    assert problem is not None
    assert (problem.kind, problem.sure) == (SuspectKind.RUN_STUCK, False)


def signs(*minutes: float) -> list[Json]:
    return [run("RUNNING" if at else "START", "load", at) for at in minutes]


def test_a_stream_is_stuck_after_five_times_its_usual_silence() -> None:
    events = signs(*range(0, 60, 10))
    assert trouble(events, 99, pace.STREAM) is None
    problem = trouble(events, 101, pace.STREAM)
    assert problem is not None
    assert (problem.kind, problem.every, problem.at, problem.sure) == (
        SuspectKind.RUN_STUCK,
        10 * MINUTE,
        parse(time(50)),
        True,
    )


def test_a_stream_that_reports_often_may_be_silent_for_a_minute() -> None:
    events = signs(*(n / 60 for n in range(20)))
    last = 19 / 60
    assert trouble(events, last + 0.9, pace.STREAM) is None
    assert kind_of(trouble(events, last + 1.1, pace.STREAM)) == SuspectKind.RUN_STUCK


def test_a_stream_without_a_habit_has_five_minutes() -> None:
    assert trouble(signs(0, 1), 5.9, pace.STREAM) is None
    problem = trouble(signs(0, 1), 6.1, pace.STREAM)
    assert problem is not None
    assert (problem.kind, problem.sure) == (SuspectKind.RUN_STUCK, False)
    assert trouble(signs(0, 1), 10_000, pace.SERVICE) is None


def test_what_a_stream_says_later_is_not_known_before() -> None:
    events = signs(*range(0, 60, 10), 500)
    assert kind_of(trouble(events, 200, pace.STREAM)) == SuspectKind.RUN_STUCK
    assert trouble(events, 501, pace.STREAM) is None


def test_runs_that_others_only_named_count_for_nothing() -> None:
    parent = {"parent": facet(job={"namespace": "jobs", "name": "dag"}, run={"runId": "above"})}
    assert trouble([run("START", "load", 0, facets=parent)], 10_000_000, job="dag()") is None


def test_a_habit_is_what_most_values_are_near() -> None:
    assert habit([10, 10, 11, 9]) == 10
    assert habit([10, 10, 10]) is None
    assert habit([10, 10, 10, 100]) == 10
    assert habit([10, 10, 100, 100]) is None
