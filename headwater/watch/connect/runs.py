"""When the runs of a connector start, continue and end. Pure.

A run lasts from a start of the connector to its stop, failure, deletion or next configuration.
"""

import uuid
from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec

from headwater.watch.connect.condition import Condition

# Namespace of OIDs. The SMT makes its ids in the same way.
_OID = uuid.UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8")

# A rebalance takes seconds; after so many without an assigned task the run is over.
UNASSIGNED = 60.0


def run_id(namespace: str, name: str, before: str | None) -> str:
    """The id of the run that follows another one (None: the first). Everybody who knows that one gets the same id,
    so the SMT, each of its tasks and the watcher agree without talking to each other."""
    return str(uuid.uuid5(_OID, f"{namespace}/{name}/{before or 'first'}"))


class RunState(msgspec.Struct, omit_defaults=True):
    """The runs of a connector, as the state file has them."""

    run: str | None = None
    """The open run."""
    last: str | None = None
    """The latest run that ended."""
    config: str = ""
    """Fingerprint of the configuration of that run."""
    failure: str = ""
    """Fingerprint of the failure that ended the last run, so that it is reported once."""
    idle: bool = False
    """The connector was reported without a run."""
    since: float = 0.0
    """Since when the connector waits for tasks; 0 if it does not."""


class Step(NamedTuple):
    """What is to be reported: the start of a run, its end, that it continues, or a connector without a run (IDLE)."""

    kind: Literal["START", "RUNNING", "FAIL", "ABORT", "IDLE"]
    why: str = ""
    trace: str = ""


def steps(state: RunState, now: float, condition: Condition, config: str, *, changed: bool, due: bool) -> list[Step]:
    """What is to be reported of a connector in this condition. `changed`: something has changed since the last event;
    `due`: it is time for a heartbeat."""
    todo: list[Step] = []
    running = state.run is not None
    if running and state.config != config:
        todo.append(Step("ABORT", "the configuration was changed"))
        running = False
    waited = now - state.since if state.since else 0.0
    if condition.kind == "waiting" and waited > UNASSIGNED:
        condition = Condition("lost", condition.state, f"no task was assigned to any worker for {waited:.0f} s")
    if running:
        if condition.kind == "failed":
            return [*todo, Step("FAIL", condition.why, condition.trace)]
        if not condition.alive:
            return [*todo, Step("ABORT", condition.why)]
        return [*todo, Step("RUNNING")] if changed or due else todo
    if condition.kind in ("running", "paused"):
        return [*todo, Step("START")]
    if condition.kind == "failed" and state.failure != fingerprint([config, condition.why, condition.trace]):
        return [*todo, Step("START"), Step("FAIL", condition.why, condition.trace)]
    if condition.kind == "stopped" and (not state.idle or state.config != config):
        return [*todo, Step("IDLE")]
    return todo


def after(state: RunState, step: Step, config: str, run: str | None) -> RunState:
    """The state after a step was reported; `run` is the id of a run that started."""
    if step.kind == "START":
        return RunState(run=run, last=state.last, config=config)
    if step.kind in ("FAIL", "ABORT"):
        failure = fingerprint([config, step.why, step.trace]) if step.kind == "FAIL" else ""
        return RunState(last=state.run, config=config, failure=failure, idle=True)
    if step.kind == "IDLE":
        return msgspec.structs.replace(state, idle=True, config=config)
    return state


def fingerprint(parts: Iterable[str]) -> str:
    return uuid.uuid5(_OID, "\0".join(parts)).hex
