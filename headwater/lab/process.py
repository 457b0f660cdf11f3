"""Starts the processes of services, and makes sure that they end."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from headwater.emit import die_with_parent
from headwater.lab import placeholders
from headwater.lab.service_spec import ServiceSpec

_DIE_WITH_PARENT = (sys.executable, "-I", "-S", die_with_parent.__file__)


async def spawn(
    spec: ServiceSpec, command: Sequence[str], values: Mapping[str, str], folder: Path, user: str | None
) -> asyncio.subprocess.Process:
    """Call it on the main thread: a child dies with the thread that started it, not only with the process."""
    arguments = placeholders.fill(command, spec, values, folder)
    if spec.lock:
        _replace_dead_owner(folder / spec.name / spec.lock)
    texts = placeholders.fill(list(spec.environment.values()), spec, values, folder)
    more = dict(zip(spec.environment, texts, strict=True))
    with (folder / spec.log).open("ab") as log:
        return await asyncio.create_subprocess_exec(
            *(*_DIE_WITH_PARENT, str(os.getpid()), "SIGKILL", user or "-", *arguments),
            cwd=folder / spec.name,
            env={**os.environ, **more},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for the supervisor, which ends the services in order
        )


async def end(process: asyncio.subprocess.Process, spec: ServiceSpec) -> None:
    """Asks the process to end, which it may pass on to its children; then kills whatever is left."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.send_signal(spec.stop)
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(process.wait(), spec.grace)
    kill(process)
    await process.wait()


def kill(process: asyncio.subprocess.Process) -> None:
    """With all its descendants, even those in a process group of their own."""
    for pid in descendants(process.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def descendants(pid: int) -> list[int]:
    """Children, their children and so on; none if the process has ended."""
    pids: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, path.read_text().split()):
                pids += [child, *descendants(child)]
    return pids


def _replace_dead_owner(lock: Path) -> None:
    """Puts this process in place of a dead owner; PostgreSQL accepts its parent as owner.

    PostgreSQL notices by itself that an owner is gone, but mistakes a zombie (as in a container without an init) or
    a new process with the same id for the owner. Without the file it would not check whether something else still
    uses its shared memory.
    """
    with suppress(FileNotFoundError, NotADirectoryError, ValueError):
        owner, rest = lock.read_text().split("\n", 1)
        if sys.platform == "linux" and not _works_in(int(owner), lock.parent):
            lock.write_text(f"{os.getpid()}\n{rest}")


def _works_in(pid: int, folder: Path) -> bool:
    try:
        return Path(os.readlink(f"/proc/{pid}/cwd")) == folder.resolve()
    except OSError:  # it has ended, waited for or not
        return False
