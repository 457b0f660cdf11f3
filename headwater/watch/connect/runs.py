"""One run per incarnation of a connector: when it begins, goes on and ends. Pure."""

import uuid
from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec

from headwater.watch.connect.condition import Condition

# Namespace of OIDs. The SMT makes its ids in the same way.
_OID = uuid.UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8")

# A rebalance takes seconds; after so many without any task, nothing runs, whatever may come.
UNASSIGNED = 60.0


def run_id(namespace: str, name: str, before: str | None) -> str:
    """The id of the run that follows on another one (None: the first). Whoever knows that one gets the same id,
    so that the SMT, each of its tasks and the watcher need not talk to each other."""
    return str(uuid.uuid5(_OID, f"{namespace}/{name}/{before or 'first'}"))


class Kept(msgspec.Struct, omit_defaults=True):
    """What is kept of a connector, over restarts of the watcher too."""

    run: str | None = None
    """The run that goes on."""
    last: str | None = None
    """The latest run that ended."""
    config: str = ""
    """Fingerprint of the configuration of that run."""
    failure: str = ""
    """Fingerprint of the failure that ended the last run, so that it is told once."""
    idle: bool = False
    """It was told that it is there, without a run."""
    since: float = 0.0
    """When it began to wait for tasks; 0 if it does not."""


class Step(NamedTuple):
    """What is to be told: the beginning of a run, its end, that it goes on, or that a connector without a run is
    there (IDLE)."""

    kind: Literal["START", "RUNNING", "FAIL", "ABORT", "IDLE"]
    why: str = ""
    trace: str = ""


def steps(kept: Kept, now: float, found: Condition, config: str, *, changed: bool, due: bool) -> list[Step]:
    """What follows from how a connector is. `changed`: something is to be told that was not yet; `due`: it is time
    to say that the run goes on."""
    todo: list[Step] = []
    running = kept.run is not None
    if running and kept.config != config:
        todo.append(Step("ABORT", "the configuration was changed"))
        running = False
    waited = now - kept.since if kept.since else 0.0
    if found.kind == "waiting" and waited > UNASSIGNED:
        found = Condition("lost", found.state, f"no task was assigned to any worker for {waited:.0f} s")
    if running:
        if found.kind == "failed":
            return [*todo, Step("FAIL", found.why, found.trace)]
        if not found.alive:
            return [*todo, Step("ABORT", found.why)]
        return [*todo, Step("RUNNING")] if changed or due else todo
    if found.kind in ("running", "paused"):
        return [*todo, Step("START")]
    if found.kind == "failed" and kept.failure != fingerprint([config, found.why, found.trace]):
        return [*todo, Step("START"), Step("FAIL", found.why, found.trace)]
    if found.kind == "stopped" and (not kept.idle or kept.config != config):
        return [*todo, Step("IDLE")]
    return todo


def after(kept: Kept, step: Step, config: str, run: str | None) -> Kept:
    """What is kept when a step was told; `run` is the id of a run that began."""
    if step.kind == "START":
        return Kept(run=run, last=kept.last, config=config)
    if step.kind in ("FAIL", "ABORT"):
        failure = fingerprint([config, step.why, step.trace]) if step.kind == "FAIL" else ""
        return Kept(last=kept.run, config=config, failure=failure, idle=True)
    if step.kind == "IDLE":
        return msgspec.structs.replace(kept, idle=True, config=config)
    return kept


def fingerprint(parts: Iterable[str]) -> str:
    return uuid.uuid5(_OID, "\0".join(parts)).hex
