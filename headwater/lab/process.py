"""The processes of services: how they begin, and how they end for certain."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from headwater.lab import leash, site
from headwater.lab.spec import Service

_LEASH = (sys.executable, "-I", "-S", leash.__file__)


async def spawn(
    spec: Service, command: Sequence[str], known: Mapping[str, str], folder: Path, user: str | None
) -> asyncio.subprocess.Process:
    """To be called on the main thread: the leash is tied to the thread that started the process, not only to its
    process."""
    words = site.fill(command, spec, known, folder)
    if spec.lock:
        _take_over(folder / spec.name / spec.lock)
    texts = site.fill(list(spec.environment.values()), spec, known, folder)
    more = dict(zip(spec.environment, texts, strict=True))
    with (folder / spec.log).open("ab") as log:
        return await asyncio.create_subprocess_exec(
            *(*_LEASH, str(os.getpid()), user or "-", *words),
            cwd=folder / spec.name,
            env={**os.environ, **more},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for the supervisor, which ends the services in order
        )


async def end(process: asyncio.subprocess.Process, spec: Service) -> None:
    """First it is asked, which it may pass on to those that it started; then nothing of it is left."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.send_signal(spec.stop)
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(process.wait(), spec.grace)
    kill(process)
    await process.wait()


def kill(process: asyncio.subprocess.Process) -> None:
    """With all that it started, even what has a group of its own."""
    for pid in descendants(process.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def descendants(pid: int) -> list[int]:
    """Its children and theirs; none of a process that has ended."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, path.read_text().split()):
                found += [child, *descendants(child)]
    return found


def _take_over(lock: Path) -> None:
    """A dead owner is replaced by this process, whose children PostgreSQL lets in.

    PostgreSQL finds out by itself that its owner is gone, but takes a process that nobody has waited for (as in a
    container without an init) or one that got the same id since for its owner. Without the file it would not look
    whether something else still uses its memory.
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
