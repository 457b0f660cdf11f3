"""Nine o'clock, and the dashboard is wrong (tests/support/story.py)."""

import random
from datetime import datetime

import pytest

from headwater.openlineage.timestamps import parse, to_datetime
from headwater.shapes.diff import FieldRetyped
from tests.support import story
from tests.support.make import run
from tests.support.whodunit import why
from tests.support.world import World

NINE = story.time(0, 9)


def moment(day: int, hour: float) -> datetime:
    return to_datetime(parse(story.time(day, hour)))


@pytest.fixture
def world() -> World:
    return World(story.bad_night())


def test_the_causes_come_first_and_then_what_follows_from_them(world: World) -> None:
    assert why(world, "dashboard", NINE).listed() == [
        "SCHEMA_CHANGED orders",
        "RUN_STUCK exchange",
        "STATISTIC_JUMPED refunds",
        "RUN_FAILED clean",
        "RUN_LATE total",
        "RUN_LATE publish",
    ]


def test_a_schema_change_comes_with_the_column_and_what_it_explains(world: World) -> None:
    suspect = why(world, "dashboard", NINE).one("SCHEMA_CHANGED", "orders")
    assert suspect.evidence.retyped == [FieldRetyped("price", "DOUBLE", "STRING")]
    assert (suspect.evidence.added, suspect.evidence.removed) == ([], [])
    assert (suspect.at, suspect.distance) == (moment(0, 2.25), 3)
    assert suspect.explains == ["job:jobs:clean", "job:jobs:publish", "job:jobs:total"]
    assert suspect.summary == (
        "The schema of orders changed at 2026-03-02 02:15:00 UTC: price is STRING instead of DOUBLE."
    )


def test_a_failure_comes_with_its_error_and_the_event_that_reported_it(world: World) -> None:
    suspect = why(world, "dashboard", NINE).one("RUN_FAILED", "clean")
    evidence = suspect.evidence
    assert (evidence.runId, evidence.state, evidence.endedAt) == ("clean 0", "FAILED", moment(0, 3.2))
    assert evidence.error is not None
    first, second, *rest = evidence.error.splitlines()
    assert first == "NumberFormatException: '12,50' is no DECIMAL(10,2)"
    assert second.strip() == "at com.example.Cast1(Cast.java:1)"
    assert len(rest) == 6
    (event,) = world.log.events(evidence.positions)  # type: ignore[arg-type]
    assert b'"FAIL"' in event.body
    assert suspect.explains == ["job:jobs:publish", "job:jobs:total"]


def test_a_silent_stream_comes_with_its_last_sign_and_its_habit(world: World) -> None:
    evidence = why(world, "dashboard", NINE).one("RUN_STUCK", "exchange").evidence
    assert (evidence.runId, evidence.state, evidence.lastSign, evidence.everySeconds) == (
        "rates 1",
        "RUNNING",
        moment(0, 2),
        1800,
    )


def test_a_late_job_comes_with_the_time_it_was_due(world: World) -> None:
    evidence = why(world, "dashboard", NINE).one("RUN_LATE", "total").evidence
    assert (evidence.expectedAt, evidence.everySeconds, evidence.runId) == (moment(0, 4), 86_400, "total -1")


def test_amounts_come_with_what_was_usual(world: World) -> None:
    suspect = why(world, "dashboard", NINE).one("STATISTIC_JUMPED", "refunds")
    evidence = suspect.evidence
    assert (evidence.statistic, evidence.after, evidence.runId, evidence.jobId) == (
        "rowCount",
        0,
        "refund 0",
        "job:jobs:refund",
    )
    assert evidence.before == pytest.approx(51, abs=1)
    assert suspect.summary.startswith("Job refund wrote 0 rows to refunds at 2026-03-02 02:45:00 UTC")


def test_a_column_has_only_what_feeds_it(world: World) -> None:
    answer = why(world, "dashboard.orders", NINE)
    assert {job.name for job in answer.scope.jobs.values()} == {"publish", "total", "clean", "collect"}
    assert answer.listed() == ["SCHEMA_CHANGED orders", "RUN_FAILED clean", "RUN_LATE total", "RUN_LATE publish"]


def test_a_changed_column_that_feeds_the_requested_one_is_more_suspicious_than_another(world: World) -> None:
    early = story.time(0, 2.4)  # before anything failed at it
    feeding = why(world, "prices.price", early).one("SCHEMA_CHANGED", "orders")
    other = why(world, "prices.id", early).one("SCHEMA_CHANGED", "orders")
    assert feeding.suspicion > 1.5 * other.suspicion


def test_a_run_has_its_own_failure_first_and_then_what_it_read(world: World) -> None:
    answer = why(world, "run:clean 0", story.time(0, 3.2))
    assert answer.listed() == ["RUN_FAILED clean", "SCHEMA_CHANGED orders"]
    assert answer.suspects[0].suspicion == 1


def test_a_good_run_of_a_job_that_failed_later_has_no_suspects(world: World) -> None:
    assert why(world, "run:clean -1", story.time(-1, 3.25)).listed() == []


def test_why_of_a_job_shows_its_own_troubles(world: World) -> None:
    assert why(world, "clean()", NINE).listed()[:2] == ["SCHEMA_CHANGED orders", "RUN_FAILED clean"]


def test_without_anomalies_there_are_no_suspects() -> None:
    good = World(story.good_nights())
    for name in ("dashboard", "dashboard.total", "total()", "run:publish 0"):
        answer = why(good, name, NINE)
        assert answer.listed() == []
        assert answer.scope.jobs


@pytest.mark.parametrize(("day", "hour"), [(0, 1.9), (-1, 9), (-3, 12), (-8, 1), (-100, 0)])
def test_before_the_incident_there_are_none(world: World, day: int, hour: float) -> None:
    assert why(world, "dashboard", story.time(day, hour)).listed() == []


def test_while_the_incident_unfolds_only_what_has_happened_is_known(world: World) -> None:
    assert why(world, "dashboard", story.time(0, 2.3)).listed() == ["SCHEMA_CHANGED orders"]
    assert why(world, "dashboard", story.time(0, 3.1)).listed() == ["STATISTIC_JUMPED refunds", "SCHEMA_CHANGED orders"]
    assert "RUN_FAILED clean" in why(world, "dashboard", story.time(0, 3.5)).listed()
    assert "RUN_LATE total" not in why(world, "dashboard", story.time(0, 5)).listed()


def test_unrelated_jobs_change_nothing(world: World) -> None:
    more = World(story.bad_night() + story.unrelated())
    for name in ("dashboard", "dashboard.total", "total()"):
        assert _without_positions(why(more, name, NINE).dump()) == _without_positions(why(world, name, NINE).dump())


def test_the_order_of_arrival_changes_nothing(world: World) -> None:
    events = story.bad_night()
    random.Random(4).shuffle(events)
    assert _without_positions(why(World(events), "dashboard", NINE).dump()) == _without_positions(
        why(world, "dashboard", NINE).dump()
    )


def _without_positions(suspects: list[dict[str, object]]) -> list[dict[str, object]]:
    for suspect in suspects:
        suspect["evidence"].pop("positions", None)  # type: ignore[attr-defined]
    return suspects


def test_what_happened_before_since_is_not_suspected(world: World) -> None:
    assert "SCHEMA_CHANGED orders" not in why(world, "dashboard", NINE, days=0.2).listed()


def test_depth_bounds_how_far_up_is_looked(world: World) -> None:
    assert why(world, "dashboard", NINE, depth=1).listed() == ["RUN_LATE publish"]
    assert why(world, "dashboard", NINE, depth=0).listed() == []


def test_a_retry_that_succeeds_clears_the_job(world: World) -> None:
    events = story.bad_night() + story.night("clean", 0, 8, ["orders"], story.wrote("prices", 1007, story.PRICES))
    for event in events:  # the same job again, by another run
        if event["run"]["runId"] == "clean 0" and event["eventTime"] >= story.time(0, 8):
            event["run"]["runId"] = "clean 0 again"
    assert "RUN_FAILED clean" not in why(World(events), "dashboard", NINE).listed()


def test_while_a_retry_runs_the_failure_still_counts_but_less(world: World) -> None:
    before = why(world, "clean()", NINE).one("RUN_FAILED", "clean")
    retried = World([*story.bad_night(), run("START", "clean", story.when(0, 8.9), "retry", ["orders"])])
    now = why(retried, "clean()", NINE).one("RUN_FAILED", "clean")
    assert now.suspicion < before.suspicion
    assert now.summary.endswith("A new run has been under way since 2026-03-02 08:54:00 UTC.")
