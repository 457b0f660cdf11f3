"""SQLite files: the folder's lock, connections, transactions, errors, and statements with many rows."""

import fcntl
import os
import sqlite3
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from headwater.errors import StoreDamaged, StoreLocked, StoreUnavailable

_MAX_PARAMETERS = 512
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


# In pages. A journal of the second length is checkpointed by a write itself: a replay has no tidier.
_LONG_JOURNAL, _LONGEST_JOURNAL = 16_384, 65_536
_TIDIER_WAITS_SECONDS = 0.02  # for other connections; if that is not enough, there is a next time


def connect(path: Path, *, durable: bool) -> sqlite3.Connection:
    check_length(path)
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    with explained(path):
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        db.execute(f"PRAGMA wal_autocheckpoint = {_LONGEST_JOURNAL}")
        db.execute("PRAGMA cache_size = -65536")
        db.execute("PRAGMA temp_store = MEMORY")
        # After a checkpoint the journal is cut back to this, so that a burst does not stay on disk.
        db.execute("PRAGMA journal_size_limit = 8388608")
    return db


def connect_reader(path: Path, wait_seconds: float = 5.0) -> sqlite3.Connection:
    db = sqlite3.connect(path, wait_seconds, isolation_level=None, check_same_thread=False, cached_statements=256)
    db.execute("PRAGMA query_only = ON")
    # Small: every write invalidates it, and the system caches the pages anyway.
    db.execute("PRAGMA cache_size = -8192")
    return db


class Tidier:
    """Checkpoints a journal into its file, beside writes and queries, as the disk takes its time for that."""

    def __init__(self, path: Path) -> None:
        self._path, self._db = path, connect_reader(path, _TIDIER_WAITS_SECONDS)

    def tidy(self) -> None:
        """Where writes never pause long enough for the whole journal to be checkpointed, the last bit of
        it, a small one, makes one write wait."""
        if self._checkpoint("PASSIVE") > _LONG_JOURNAL:
            self._checkpoint("PASSIVE")
            self._checkpoint("FULL")

    def _checkpoint(self, how: str) -> int:
        """Returns the length of the journal so far."""
        with explained(self._path):
            return int(self._db.execute(f"PRAGMA wal_checkpoint({how})").fetchone()[1])

    def close(self) -> None:
        self._db.close()


class Readers:
    """A connection for every thread that reads. Two threads on one would not only wait for each other:
    Python's SQLite module holds Python's lock while it waits, and so the server would wait too."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self.connect = connect
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []

    def mine(self) -> sqlite3.Connection:
        try:
            return self._local.db  # type: ignore[no-any-return]
        except AttributeError:
            self._local.db = db = self.connect()
            self._opened.append(db)
            return db

    def close(self) -> None:
        """When no thread reads any more."""
        for db in self._opened:
            db.close()
        self._opened.clear()
        self._local = threading.local()


def check_length(path: Path) -> None:
    """Notices a file that was cut short at once, not in a query some days later."""
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
    is_sqlite = header.startswith(b"SQLite format 3\0")
    journal = path.with_name(path.name + "-wal")
    if is_sqlite and journal.exists() and journal.stat().st_size:
        return  # a checkpoint may have been cut short; SQLite completes it from the journal
    if not is_sqlite or size < pages * page_size:
        raise StoreDamaged(f"{path} is damaged: {size} bytes where {pages * page_size} are expected")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """SQLite's errors as ours: a full or read-only disk is temporary, a broken file is not."""
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


def chunks(values: Sequence[Any]) -> Iterator[tuple[str, list[Any]]]:
    """The values in parts for `IN (…)`. Parts are filled up to a power of two with the last
    value, so that there are only a few different statements and SQLite need not parse each."""
    for start in range(0, len(values), _MAX_PARAMETERS):
        part = list(values[start : start + _MAX_PARAMETERS])
        part += part[-1:] * ((1 << (len(part) - 1).bit_length()) - len(part))
        yield ",".join("?" * len(part)), part


def values_of(rows: Sequence[Sequence[Any]]) -> Iterator[tuple[str, list[Any]]]:
    """The rows in parts for `VALUES (…), (…)`, filled up for the same reason with NULLs, which
    are equal to nothing."""
    width = len(rows[0]) if rows else 0
    for start in range(0, len(rows), _MAX_PARAMETERS):
        part = [value for row in rows[start : start + _MAX_PARAMETERS] for value in row]
        count = 1 << (len(part) // width - 1).bit_length()
        part += [None] * (count * width - len(part))
        yield "VALUES " + ",".join([f"({','.join('?' * width)})"] * count), part


# Python's SQLite module releases Python's lock and takes it again for every row that it reads
# or writes, and each time has to wait for the event loop. Here it sees many rows as one.
_MOST_ROWS = 256

_read_rows = msgspec.json.Decoder(list[list[Any]]).decode


def fetched(db: sqlite3.Connection, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    return db.execute(sql, parameters).fetchall()


class FileReader:
    """Reads a file, from any thread and any process, while another one writes."""

    _rows = staticmethod(fetched)

    def __init__(self, path: Path) -> None:
        self._path = path
        self._readers = Readers(lambda: connect_reader(path))

    def close(self) -> None:
        self._readers.close()


def rows_of(db: sqlite3.Connection, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """The same in one step, for where other threads need Python's lock."""
    statement = _statements.get(sql)
    if statement is None:
        width = len(db.execute(f"SELECT * FROM ({sql}) LIMIT 0", parameters).description)
        statement = _statements[sql] = _one_row(sql, [f"c{number}" for number in range(width)])
    return [_with_bytes(row) for row in _read_rows(db.execute(statement, parameters).fetchone()[0])]


_statements: dict[str, str] = {}


def _one_row(sql: str, names: list[str]) -> str:
    """JSON has no bytes: they go as hex, and a last number has a bit for each column that is bytes."""
    values = ", ".join(f"CASE typeof({c}) WHEN 'blob' THEN hex({c}) ELSE {c} END" for c in names)
    mask = " | ".join(f"((typeof({c}) = 'blob') << {number})" for number, c in enumerate(names))
    return (
        f"WITH query_rows ({', '.join(names)}) AS ({sql}) "
        f"SELECT json_group_array(json_array({values}, {mask})) FROM query_rows"
    )


def _with_bytes(row: list[Any]) -> tuple[Any, ...]:
    mask = row.pop()
    while mask:
        number = mask.bit_length() - 1
        row[number] = bytes.fromhex(row[number])
        mask ^= 1 << number
    return tuple(row)


def insert(db: sqlite3.Connection, into: str, rows: Sequence[Sequence[Any]], on_conflict: str = "") -> None:
    """Any number of rows, in parts of 256, 128, … rows, so that there are only a few different statements
    and SQLite need not parse each. Where a row may be written again, the last part is filled up with its last one."""
    start, size = 0, _MOST_ROWS
    while start < len(rows):
        while size > len(rows) - start:
            size //= 2
        if on_conflict and size < len(rows) - start:
            size = min(2 * size, _MOST_ROWS)
        part = list(rows[start : start + size])
        part += part[-1:] * (size - len(part))
        db.execute(_insert_sql(into, len(part[0]), size, on_conflict), [value for row in part for value in row])
        start += size


@cache
def _insert_sql(into: str, width: int, count: int, on_conflict: str) -> str:
    row = "(" + ",".join("?" * width) + ")"
    return f"INSERT {into} VALUES {','.join([row] * count)} {on_conflict}"
