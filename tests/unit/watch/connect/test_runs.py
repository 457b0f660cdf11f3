"""When runs start, continue and end."""

import pytest

from headwater.connect.rest import State, Status, Task
from headwater.watch.connect import runs
from headwater.watch.connect.condition import Condition, condition, tasks
from headwater.watch.connect.runs import RunState, Step

RUNNING, PAUSED = Condition("running", "RUNNING"), Condition("paused", "PAUSED")
WAITING, STOPPED = Condition("waiting", "UNASSIGNED"), Condition("stopped", "STOPPED", "stopped")
FAILED, LOST = Condition("failed", "FAILED", "task 0 failed", "Boom"), Condition("lost", "LOST", "worker gone")
NOW = 1000.0


def status(connector: str, *states: str, worker: str = "w1") -> Status:
    parts = [state.partition("@") for state in states]
    made = tuple(
        Task(n, state, at or worker, "Boom" if state == "FAILED" else "") for n, (state, _, at) in enumerate(parts)
    )
    return Status(State(connector, worker), made, "sink")


@pytest.mark.parametrize(
    ("reported", "kind"),
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
def test_condition(reported: Status, kind: str) -> None:
    assert condition(reported, {"dead"}).kind == kind


def test_a_failed_task_is_reported_with_its_trace() -> None:
    failed = condition(status("RUNNING", "FAILED", "FAILED"), ())
    assert (failed.why, failed.trace) == ("task 0 failed", "Boom")


def test_tasks_of_a_dead_worker_are_lost() -> None:
    lost = tasks(status("RUNNING", "RUNNING@dead", "FAILED"), {"dead"})
    assert lost == [
        {"id": 0, "state": "LOST", "worker": "dead"},
        {"id": 1, "state": "FAILED", "worker": "w1", "trace": "Boom"},
    ]


def steps(
    state: RunState, condition: Condition, config: str = "c", *, changed: bool = False, due: bool = False
) -> list[str]:
    return [step.kind for step in runs.steps(state, NOW, condition, config, changed=changed, due=due)]


IN_RUN, NEW = RunState(run="r", config="c"), RunState()


@pytest.mark.parametrize(
    ("state", "condition", "expected"),
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
        (RunState(last="r", config="c", idle=True), STOPPED, []),
        (RunState(last="r", config="old", idle=True), STOPPED, ["IDLE"]),
        (RunState(last="r", config="c"), RUNNING, ["START"]),
        (RunState(run="r", config="old"), RUNNING, ["ABORT", "START"]),
        (RunState(run="r", config="old"), WAITING, ["ABORT"]),
        (RunState(run="r", config="old"), FAILED, ["ABORT", "START", "FAIL"]),
        (RunState(run="r", config="c", since=NOW - runs.UNASSIGNED + 1), WAITING, []),
        (RunState(run="r", config="c", since=NOW - runs.UNASSIGNED - 1), WAITING, ["ABORT"]),
    ],
)
def test_steps(state: RunState, condition: Condition, expected: list[str]) -> None:
    assert steps(state, condition) == expected


def test_an_open_run_is_reported_when_something_changed_or_time_is_up() -> None:
    assert steps(IN_RUN, RUNNING, changed=True) == ["RUNNING"]
    assert steps(IN_RUN, WAITING, due=True) == ["RUNNING"]


def state_after(state: RunState, condition: Condition) -> RunState:
    for step in runs.steps(state, NOW, condition, "c", changed=False, due=False):
        state = runs.after(state, step, "c", "next" if step.kind == "START" else None)
    return state


def test_a_failure_is_reported_once_and_another_one_again() -> None:
    state = state_after(IN_RUN, FAILED)
    assert (state.run, state.last) == (None, "r")
    assert steps(state, FAILED) == []
    assert steps(state, FAILED._replace(trace="Bang")) == ["START", "FAIL"]
    assert steps(state, RUNNING) == ["START"]


def test_a_failure_that_ends_a_run_at_once_is_reported_once() -> None:
    state = state_after(NEW, FAILED)
    assert (state.run, state.last) == (None, "next")
    assert steps(state, FAILED) == []


def test_what_was_stopped_is_not_reported_again() -> None:
    state = state_after(IN_RUN, STOPPED)
    assert steps(state, STOPPED) == []
    assert steps(state, RUNNING) == ["START"]


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
