"""The condition of a connector, from its status in Connect and the workers that are lost. Pure."""

from collections.abc import Collection
from typing import Any, Literal, NamedTuple

from headwater.connect.rest import Status

Kind = Literal["running", "waiting", "paused", "stopped", "failed", "lost"]


class Condition(NamedTuple):
    """`running`: at least one task runs. `waiting`: none runs yet. `lost`: the workers of all tasks are gone."""

    kind: Kind
    state: str
    why: str = ""
    trace: str = ""

    @property
    def alive(self) -> bool:
        return self.kind in ("running", "waiting", "paused")


def condition(status: Status, lost: Collection[str]) -> Condition:
    """`lost`: workers that are known to be dead. What Connect still says of their tasks is out of date."""
    own = status.connector
    here = [task for task in status.tasks if task.worker_id not in lost]
    if own.state == "STOPPED":
        return Condition("stopped", "STOPPED", "the connector was stopped")
    if any(task.state == "RUNNING" for task in here):
        failed = [task for task in here if task.state == "FAILED"]
        return Condition("running", own.state, f"{len(failed)} of {len(status.tasks)} tasks failed" if failed else "")
    if status.tasks and not here:
        gone = ", ".join(sorted({task.worker_id for task in status.tasks}))
        return Condition("lost", "LOST", f"the worker {gone} is gone")
    if own.state == "PAUSED" or (here and all(task.state == "PAUSED" for task in here)):
        return Condition("paused", "PAUSED")
    broken = next((task for task in here if task.state == "FAILED"), None)
    if broken is not None:
        return Condition("failed", "FAILED", f"task {broken.id} failed", broken.trace)
    if own.state == "FAILED":
        return Condition("failed", "FAILED", "the connector failed", own.trace)
    if not status.tasks and own.worker_id in lost:
        return Condition("lost", "LOST", f"the worker {own.worker_id} is gone")
    # A connector that runs without tasks may wait for work, such as tables that do not exist yet.
    if not status.tasks and own.state == "RUNNING":
        return Condition("running", own.state)
    return Condition("waiting", own.state)


def tasks(status: Status, lost: Collection[str]) -> list[dict[str, Any]]:
    """The tasks, for the facet."""
    return [
        {"id": task.id, "state": "LOST" if task.worker_id in lost else task.state, "worker": task.worker_id}
        | ({"trace": task.trace} if task.trace else {})
        for task in status.tasks
    ]
