"""Opening SQLite files: the folder's lock, settings, and what to say when a file is broken."""

import fcntl
import os
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headwater.errors import StoreDamaged, StoreLocked, StoreUnavailable

_HEADER = 100  # SQLite's file header; the page size stands at 16, the number of pages at 28


class FolderLock:
    """Held while a server has the data folder. The system frees it however the process ends."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as e:
            raise StoreUnavailable(f"cannot use the data folder {folder}: {e.strerror}") from e
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._fd, 20).decode(errors="replace").strip()
            os.close(self._fd)
            raise StoreLocked(
                f"{folder} is in use by another headwater (process {holder or 'unknown'}). "
                "Stop it, or choose another folder with --data."
            ) from None
        os.truncate(self._fd, 0)
        os.write(self._fd, str(os.getpid()).encode())

    def release(self) -> None:
        os.close(self._fd)


def connect(path: Path, *, durable: bool) -> sqlite3.Connection:
    check_length(path)
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    with explained(path):
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        db.execute("PRAGMA cache_size = -65536")
        db.execute("PRAGMA temp_store = MEMORY")
        # After a checkpoint the journal is cut back to this, so that a burst does not stay on disk.
        db.execute("PRAGMA journal_size_limit = 8388608")
    return db


def connect_reader(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    db.execute("PRAGMA query_only = ON")
    db.execute("PRAGMA cache_size = -32768")
    return db


def check_length(path: Path) -> None:
    """A file that was cut short is noticed at once, not by a query some days later."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return
    if size == 0:
        return
    with path.open("rb") as file:
        header = file.read(_HEADER)
    pages = page_size = 0
    if len(header) == _HEADER:
        page_size = struct.unpack(">H", header[16:18])[0] or 1
        page_size = 65536 if page_size == 1 else page_size
        pages = struct.unpack(">I", header[28:32])[0]
    if not header.startswith(b"SQLite format 3\0") or size < pages * page_size:
        raise StoreDamaged(f"{path} is damaged: {size} bytes where {pages * page_size} are expected")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """SQLite's errors as ours: full or read-only disks pass, broken files do not."""
    try:
        yield
    except sqlite3.OperationalError as e:
        raise StoreUnavailable(f"cannot write to {path.parent}: {e}") from e
    except sqlite3.DatabaseError as e:
        if isinstance(e, (sqlite3.IntegrityError, sqlite3.ProgrammingError)):
            raise
        raise StoreDamaged(f"{path} is damaged: {e}") from e


@contextmanager
def transaction(db: sqlite3.Connection, path: Path) -> Iterator[None]:
    with explained(path):
        db.execute("BEGIN IMMEDIATE")
        try:
            yield
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise


def size_on_disk(path: Path) -> int:
    files = (path, path.with_name(path.name + "-wal"))
    return sum(f.stat().st_size for f in files if f.exists())
