"""The file in a lab's folder through which all commands know of it, and the lock that says whether it runs."""

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


class Running(msgspec.Struct):
    """A service, as the supervisor last saw it."""

    name: str
    title: str
    url: str
    log: str
    phase: Phase = "waiting"
    pid: int | None = None
    started: float | None = None
    took: float | None = None
    """Seconds from its start to its first right answer."""
    said: str = ""


class Lab(msgspec.Struct):
    name: str
    phase: Phase
    pid: int
    """The supervisor."""
    values: dict[str, str]
    """Host, ports by name, and keys: what clients need."""
    ports: dict[str, int]
    services: list[Running]
    error: str = ""
    version: int = 1

    def service(self, name: str) -> Running:
        for service in self.services:
            if service.name == name:
                return service
        raise NotFound(f"no service {name!r} in this lab; there are {', '.join(s.name for s in self.services)}")


def read(folder: Path) -> Lab | None:
    """None where no lab has ever been."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=Lab)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as e:
        raise StoreDamaged(
            f"{folder / FILE} cannot be read ({e}); remove it, the lab's data does not need it"
        ) from None


def write(folder: Path, lab: Lab) -> None:
    """In one step, so that nobody reads half of it."""
    part = folder / f"{FILE}.part"
    part.write_bytes(msgspec.json.format(msgspec.json.encode(lab)) + b"\n")
    part.rename(folder / FILE)


def stopped(folder: Path) -> set[str]:
    """Services that somebody wants to be away while the lab goes on."""
    try:
        return msgspec.json.decode((folder / STOPPED).read_bytes(), type=set[str])
    except (FileNotFoundError, msgspec.MsgspecError):
        return set()


def stop(folder: Path, names: Iterable[str]) -> None:
    part = folder / f"{STOPPED}.part"
    part.write_bytes(msgspec.json.encode(sorted(names)))
    part.rename(folder / STOPPED)


@contextmanager
def own(folder: Path) -> Iterator[None]:
    """The lock is the system's: it goes with the process that has it, even when that is killed."""
    fd = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotStart(f"the lab in {folder} is running already; `headwater lab status` shows it") from None
        yield
    finally:
        os.close(fd)


def is_running(folder: Path) -> bool:
    """Whether a supervisor has the lock."""
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
