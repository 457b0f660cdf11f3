"""A lab that goes on without the terminal that started it, and how it is ended from another one."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from headwater.errors import CannotStart, HeadwaterError, NotFound, ServiceDied
from headwater.lab import state, supervisor
from headwater.lab.deaths import tail
from headwater.lab.jars import cache
from headwater.lab.ports import Ports
from headwater.lab.site import Plan
from headwater.lab.supervisor import Changed

LOG = "logs/lab.log"
_PAUSE = 0.1
# Longer than the graces of a chain of services that need each other.
_PATIENCE = 90.0


def reserve() -> Ports:
    return Ports(cache() / "ports")


def detach(plan: Plan, changed: Changed) -> None:
    """Starts a supervisor of its own and returns when the lab is up; if this is interrupted, nothing is left."""
    told = msgspec.json.encode(plan, enc_hook=str)  # paths
    log = plan.folder / LOG
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "headwater.lab.daemon"],
            stdin=subprocess.PIPE,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    assert process.stdin is not None
    with process.stdin as pipe:
        pipe.write(told)
    try:
        while True:
            ended = process.poll() is not None
            lab = state.read(plan.folder)
            if lab is not None and lab.pid == process.pid:
                changed(lab)
                if lab.phase == "up":
                    return
            if ended:
                mine = lab is not None and lab.pid == process.pid
                raise ServiceDied(lab.error) if mine and lab and lab.error else CannotStart(_last_words(log))
            time.sleep(_PAUSE)
    except BaseException:
        if process.poll() is None:
            process.terminate()
            process.wait(_PATIENCE)
        raise
    finally:
        process.returncode = process.returncode or 0  # it is meant to outlive this object


def stop(folder: Path, changed: Changed) -> bool:
    """Whether there was one to stop."""
    lab = state.read(folder)
    if lab is None or not state.is_running(folder):
        return False
    os.kill(lab.pid, signal.SIGTERM)
    until = time.monotonic() + _PATIENCE
    while state.is_running(folder):
        if time.monotonic() > until:
            os.kill(lab.pid, signal.SIGKILL)  # and the services go with it
        changed(state.read(folder) or lab)
        time.sleep(_PAUSE)
    changed(state.read(folder) or lab)
    return True


def switch(folder: Path, names: Sequence[str], *, on: bool, changed: Changed) -> None:
    """Returns when the services are away, or back and well."""
    lab = state.read(folder)
    if lab is None or not state.is_running(folder):
        raise NotFound(f"no lab is running in {folder}; `headwater lab up` starts one")
    for name in names:
        lab.service(name)
    changed(lab)
    before = state.stopped(folder)
    state.stop(folder, before - set(names) if on else before | set(names))
    os.kill(lab.pid, signal.SIGUSR1)
    reached = ("up", "failed") if on else ("stopped",)
    while any(lab.service(name).phase not in reached for name in names):
        time.sleep(_PAUSE)
        alive = state.is_running(folder)
        lab = state.read(folder) or lab
        changed(lab)
        if not alive:
            raise ServiceDied(lab.error or f"the lab in {folder} went down meanwhile")


def _last_words(log: Path) -> str:
    return "\n".join(tail(log, 5)) or "the lab's supervisor ended without a word"


def main() -> None:
    plan = msgspec.json.decode(sys.stdin.buffer.read(), type=Plan, dec_hook=lambda kind, text: kind(text))
    try:
        supervisor.run(plan, reserve(), lambda _: None)
    except HeadwaterError as e:
        sys.exit(str(e))


if __name__ == "__main__":
    main()
