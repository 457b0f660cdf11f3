"""A lab that runs in the background, and how other commands control it."""

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
from headwater.lab.jars import cache
from headwater.lab.logs import tail
from headwater.lab.plan import Plan
from headwater.lab.ports import Ports
from headwater.lab.supervisor import Changed

LOG = "logs/lab.log"
_PAUSE = 0.1
# Longer than a chain of dependent services may take to end, one after the other.
_STOP_SECONDS = 90.0


def reserve() -> Ports:
    return Ports(cache() / "ports")


def detach(plan: Plan, changed: Changed) -> None:
    """Starts a supervisor in the background, and returns when the lab is up. If interrupted, leaves nothing behind."""
    encoded = msgspec.json.encode(plan, enc_hook=str)  # enc_hook for paths
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
        pipe.write(encoded)
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
                raise ServiceDied(lab.error) if mine and lab and lab.error else CannotStart(_end_of_log(log))
            time.sleep(_PAUSE)
    except BaseException:
        if process.poll() is None:
            process.terminate()
            process.wait(_STOP_SECONDS)
        raise
    finally:
        process.returncode = process.returncode or 0  # no warning that it still runs: it is meant to


def stop(folder: Path, changed: Changed) -> bool:
    """Returns whether a lab was running."""
    lab = state.read(folder)
    if lab is None or not state.is_running(folder):
        return False
    os.kill(lab.pid, signal.SIGTERM)
    deadline = time.monotonic() + _STOP_SECONDS
    while state.is_running(folder):
        if time.monotonic() > deadline:
            os.kill(lab.pid, signal.SIGKILL)  # the services die with it
        changed(state.read(folder) or lab)
        time.sleep(_PAUSE)
    changed(state.read(folder) or lab)
    return True


def switch(folder: Path, names: Sequence[str], *, on: bool, changed: Changed) -> None:
    """Returns when the services are stopped, or up again."""
    lab = state.read(folder)
    if lab is None or not state.is_running(folder):
        raise NotFound(f"no lab is running in {folder}; start one with `headwater lab up`")
    for name in names:
        lab.service(name)
    changed(lab)
    stopped = state.read_stopped(folder)
    state.write_stopped(folder, stopped - set(names) if on else stopped | set(names))
    os.kill(lab.pid, signal.SIGUSR1)
    targets = ("up", "failed") if on else ("stopped",)
    while any(lab.service(name).phase not in targets for name in names):
        time.sleep(_PAUSE)
        alive = state.is_running(folder)
        lab = state.read(folder) or lab
        changed(lab)
        if not alive:
            raise ServiceDied(lab.error or f"the lab in {folder} went down")


def _end_of_log(log: Path) -> str:
    return "\n".join(tail(log, 5)) or "the lab's supervisor ended without an error message"


def main() -> None:
    plan = msgspec.json.decode(sys.stdin.buffer.read(), type=Plan, dec_hook=lambda kind, text: kind(text))
    try:
        supervisor.run(plan, reserve(), lambda _: None)
    except HeadwaterError as e:
        sys.exit(str(e))


if __name__ == "__main__":
    main()
