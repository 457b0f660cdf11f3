"""Folders that a process holds while it lives. The system lets go of them when it ends, whatever way that is:
a folder that nobody holds is what a process left behind, and may be taken over."""

import contextlib
import ctypes
import fcntl
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

Lock = IO[str]
_LOCK = "lock"
_PUNCH_HOLE_KEEP_SIZE = 2 | 1


def name() -> str:
    """For a folder of this process; such names sort by time."""
    return f"{time.time_ns()}-{os.getpid()}"


def make(folder: Path) -> Lock:
    """A new folder. It gets its name when it is held, as others would take it for one that was left."""
    unnamed = folder.with_name(f"new.{folder.name}")
    unnamed.mkdir(parents=True, exist_ok=True)
    (unnamed / _LOCK).touch()
    lock = hold(unnamed)
    if lock is None:
        raise OSError(f"{unnamed} cannot be locked")
    unnamed.rename(folder)
    return lock


def hold(folder: Path) -> Lock | None:
    """None if another process has it, or is removing it."""
    try:
        lock = (folder / _LOCK).open("r+")  # never made here: a folder without one is as good as gone
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    if os.fstat(lock.fileno()).st_nlink == 0:  # who had it removed it just now
        lock.close()
        return None
    return lock


def left(root: Path) -> Iterator[tuple[Path, Lock]]:
    """What processes left behind, the oldest first; held from here on."""
    for folder in sorted(root.glob("[0-9]*-[0-9]*")):
        lock = hold(folder)
        if lock is not None:
            yield folder, lock


def remove(folder: Path, lock: Lock) -> None:
    for path in folder.iterdir():
        if path.name != _LOCK:
            path.unlink(missing_ok=True)
    # The last of all: from here on nobody can hold what is left.
    (folder / _LOCK).unlink(missing_ok=True)
    folder.rmdir()
    lock.close()


def write(path: Path, text: str) -> None:
    """All of it or nothing, and on the disk when it returns."""
    partial = path.with_suffix(".part")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        partial.unlink(missing_ok=True)
        raise
    partial.rename(path)


def free(path: Path, length: int) -> None:
    """Gives back the disk of a file's beginning; the rest stays where it is, also for who writes it. Not every system
    can."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError), path.open("rb+") as file:
            function = ctypes.CDLL(None, use_errno=True).fallocate
            function.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
            function(file.fileno(), _PUNCH_HOLE_KEEP_SIZE, 0, length)
