"""The state file in a lab's folder, which all commands read, and the lock that tells whether the lab runs."""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from headwater.errors import CannotStart, NotFound, StoreDamaged

FILE, LOCK, STOPPED = "lab.json", "lab.lock", "stopped.json"

Phase = Literal["waiting", "preparing", "starting", "up", "stopping", "stopped", "down", "failed"]


class ServiceState(msgspec.Struct):
    """A service as the supervisor last saw it."""

    name: str
    title: str
    url: str
    log: str
    phase: Phase = "waiting"
    pid: int | None = None
    started: float | None = None
    took: float | None = None
    """Seconds from its start to its first healthy answer."""
    message: str = msgspec.field(name="said", default="")
    """Why it is not up; `said` in the file."""


class Lab(msgspec.Struct):
    name: str
    phase: Phase
    pid: int
    """Of the supervisor."""
    values: dict[str, str]
    """What clients need: host, ports by name, and keys."""
    ports: dict[str, int]
    services: list[ServiceState]
    error: str = ""
    version: int = 1

    def service(self, name: str) -> ServiceState:
        for service in self.services:
            if service.name == name:
                return service
        raise NotFound(f"no service {name!r} in this lab; available: {', '.join(s.name for s in self.services)}")


def read(folder: Path) -> Lab | None:
    """None if no lab was ever started there."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=Lab)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as e:
        raise StoreDamaged(
            f"cannot read {folder / FILE} ({e}); remove the file, the lab's data does not depend on it"
        ) from None


def write(folder: Path, lab: Lab) -> None:
    """Atomically, so that nobody reads half of it."""
    part = folder / f"{FILE}.part"
    part.write_bytes(msgspec.json.format(msgspec.json.encode(lab)) + b"\n")
    part.rename(folder / FILE)


def read_stopped(folder: Path) -> set[str]:
    """Services that were stopped with `lab stop` while the lab runs on."""
    try:
        return msgspec.json.decode((folder / STOPPED).read_bytes(), type=set[str])
    except (FileNotFoundError, msgspec.MsgspecError):
        return set()


def write_stopped(folder: Path, names: Iterable[str]) -> None:
    part = folder / f"{STOPPED}.part"
    part.write_bytes(msgspec.json.encode(sorted(names)))
    part.rename(folder / STOPPED)


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Holds the lab's lock. The system releases it with the process, even if that is killed."""
    fd = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotStart(f"the lab in {folder} is already running; see `headwater lab status`") from None
        yield
    finally:
        os.close(fd)


def is_running(folder: Path) -> bool:
    """Whether a supervisor holds the lock."""
    try:
        fd = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(fd)
