"""When runs begin, go on and end."""

import pytest

from headwater.connect.rest import State, Status, Task
from headwater.watch.connect import runs
from headwater.watch.connect.condition import Condition, condition, tasks
from headwater.watch.connect.runs import Kept, Step

RUNNING, PAUSED = Condition("running", "RUNNING"), Condition("paused", "PAUSED")
WAITING, STOPPED = Condition("waiting", "UNASSIGNED"), Condition("stopped", "STOPPED", "stopped")
FAILED, LOST = Condition("failed", "FAILED", "task 0 failed", "Boom"), Condition("lost", "LOST", "worker gone")
NOW = 1000.0


def status(connector: str, *states: str, worker: str = "w1") -> Status:
    told = [state.partition("@") for state in states]
    made = tuple(
        Task(n, state, at or worker, "Boom" if state == "FAILED" else "") for n, (state, _, at) in enumerate(told)
    )
    return Status(State(connector, worker), made, "sink")


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        (status("RUNNING", "RUNNING"), "running"),
        (status("RUNNING", "FAILED", "RUNNING"), "running"),
        (status("RUNNING", "RUNNING@dead", "RUNNING"), "running"),
        (status("RUNNING", "FAILED", "FAILED"), "failed"),
        (status("RUNNING", "FAILED", "UNASSIGNED"), "failed"),
        (status("FAILED"), "failed"),
        (status("PAUSED", "PAUSED"), "paused"),
        (status("PAUSED"), "paused"),
        (status("RUNNING", "PAUSED"), "paused"),  # the tasks are quicker than the connector
        (status("STOPPED"), "stopped"),
        (status("STOPPED", "RUNNING"), "stopped"),
        (status("UNASSIGNED", "UNASSIGNED"), "waiting"),
        (status("RUNNING", "RESTARTING"), "waiting"),
        (status("RUNNING"), "running"),  # it looks for work
        (status("UNASSIGNED"), "waiting"),
        (status("RUNNING", "RUNNING@dead", "RUNNING@dead"), "lost"),
        (status("PAUSED", "PAUSED@dead"), "lost"),
        (status("RUNNING", worker="dead"), "lost"),
        (status("RUNNING", "FAILED", "RUNNING@dead"), "failed"),
    ],
)
def test_condition(found: Status, kind: str) -> None:
    assert condition(found, {"dead"}).kind == kind


def test_a_failed_task_is_told_with_its_trace() -> None:
    found = condition(status("RUNNING", "FAILED", "FAILED"), ())
    assert (found.why, found.trace) == ("task 0 failed", "Boom")


def test_tasks_of_a_dead_worker_are_lost() -> None:
    told = tasks(status("RUNNING", "RUNNING@dead", "FAILED"), {"dead"})
    assert told == [
        {"id": 0, "state": "LOST", "worker": "dead"},
        {"id": 1, "state": "FAILED", "worker": "w1", "trace": "Boom"},
    ]


def steps(kept: Kept, found: Condition, config: str = "c", *, changed: bool = False, due: bool = False) -> list[str]:
    return [step.kind for step in runs.steps(kept, NOW, found, config, changed=changed, due=due)]


IN_RUN, NEW = Kept(run="r", config="c"), Kept()


@pytest.mark.parametrize(
    ("kept", "found", "told"),
    [
        (NEW, RUNNING, ["START"]),
        (NEW, PAUSED, ["START"]),
        (NEW, WAITING, []),
        (NEW, FAILED, ["START", "FAIL"]),
        (NEW, STOPPED, ["IDLE"]),
        (NEW, LOST, []),
        (IN_RUN, RUNNING, []),
        (IN_RUN, WAITING, []),
        (IN_RUN, PAUSED, []),
        (IN_RUN, FAILED, ["FAIL"]),
        (IN_RUN, LOST, ["ABORT"]),
        (IN_RUN, STOPPED, ["ABORT"]),
        (Kept(last="r", config="c", idle=True), STOPPED, []),
        (Kept(last="r", config="old", idle=True), STOPPED, ["IDLE"]),
        (Kept(last="r", config="c"), RUNNING, ["START"]),
        (Kept(run="r", config="old"), RUNNING, ["ABORT", "START"]),
        (Kept(run="r", config="old"), WAITING, ["ABORT"]),
        (Kept(run="r", config="old"), FAILED, ["ABORT", "START", "FAIL"]),
        (Kept(run="r", config="c", since=NOW - runs.UNASSIGNED + 1), WAITING, []),
        (Kept(run="r", config="c", since=NOW - runs.UNASSIGNED - 1), WAITING, ["ABORT"]),
    ],
)
def test_steps(kept: Kept, found: Condition, told: list[str]) -> None:
    assert steps(kept, found) == told


def test_a_run_that_goes_on_is_told_when_something_changed_or_time_is_up() -> None:
    assert steps(IN_RUN, RUNNING, changed=True) == ["RUNNING"]
    assert steps(IN_RUN, WAITING, due=True) == ["RUNNING"]


def told(kept: Kept, found: Condition) -> Kept:
    for step in runs.steps(kept, NOW, found, "c", changed=False, due=False):
        kept = runs.after(kept, step, "c", "next" if step.kind == "START" else None)
    return kept


def test_a_failure_is_told_once_and_another_one_again() -> None:
    kept = told(IN_RUN, FAILED)
    assert (kept.run, kept.last) == (None, "r")
    assert steps(kept, FAILED) == []
    assert steps(kept, FAILED._replace(trace="Bang")) == ["START", "FAIL"]
    assert steps(kept, RUNNING) == ["START"]


def test_a_failure_that_ends_a_run_at_once_is_told_once() -> None:
    kept = told(NEW, FAILED)
    assert (kept.run, kept.last) == (None, "next")
    assert steps(kept, FAILED) == []


def test_what_was_stopped_is_not_told_again() -> None:
    kept = told(IN_RUN, STOPPED)
    assert steps(kept, STOPPED) == []
    assert steps(kept, RUNNING) == ["START"]


def test_ids_follow_on_each_other() -> None:
    """The same on every machine: the SMT makes them by the same rule."""
    first = runs.run_id("kafka-connect", "orders", None)
    assert first == "5966fbc7-75a1-5cbe-b348-94adb20ddd9a"
    assert runs.run_id("kafka-connect", "orders", None) == first
    assert runs.run_id("kafka-connect", "orders", first) != first
    assert runs.run_id("other", "orders", None) != first


def test_steps_say_why() -> None:
    assert runs.steps(IN_RUN, NOW, LOST, "c", changed=False, due=False) == [Step("ABORT", "worker gone")]
    (step,) = runs.steps(IN_RUN, NOW, FAILED, "c", changed=False, due=False)
    assert (step.why, step.trace) == ("task 0 failed", "Boom")
