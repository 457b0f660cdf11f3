"""Folders that a process locks while it lives. The system unlocks them when the process ends, in whatever way: a
folder that is not locked was abandoned, and may be taken over."""

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


def new_name() -> str:
    """For a folder of this process; such names sort by time."""
    return f"{time.time_ns()}-{os.getpid()}"


def create(folder: Path) -> Lock:
    """Makes a folder and locks it. It gets its name when it is locked, or others would think it abandoned."""
    unnamed = folder.with_name(f"new.{folder.name}")
    unnamed.mkdir(parents=True, exist_ok=True)
    (unnamed / _LOCK).touch()
    lock = try_lock(unnamed)
    if lock is None:
        raise OSError(f"cannot lock {unnamed}")
    unnamed.rename(folder)
    return lock


def try_lock(folder: Path) -> Lock | None:
    """None if another process has locked it, or is removing it."""
    try:
        lock = (folder / _LOCK).open("r+")  # never made here: a folder without one is as good as gone
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    if os.fstat(lock.fileno()).st_nlink == 0:  # its owner has just removed it
        lock.close()
        return None
    return lock


def abandoned(root: Path) -> Iterator[tuple[Path, Lock]]:
    """The folders of processes that are gone, the oldest first; locked from here on."""
    for folder in sorted(root.glob("[0-9]*-[0-9]*")):
        lock = try_lock(folder)
        if lock is not None:
            yield folder, lock


def remove(folder: Path, lock: Lock) -> None:
    for path in folder.iterdir():
        if path.name != _LOCK:
            path.unlink(missing_ok=True)
    # Last: from here on nobody can lock the folder.
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


def free_beginning(path: Path, length: int) -> None:
    """Frees the disk space of a file's first bytes; positions in the file stay the same. Not every system can."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError), path.open("rb+") as file:
            function = ctypes.CDLL(None, use_errno=True).fallocate
            function.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
            function(file.fileno(), _PUNCH_HOLE_KEEP_SIZE, 0, length)
