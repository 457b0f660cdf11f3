"""The log in SQLite: skeletons of events in one order, and each facet's content once."""

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

from headwater.errors import StoreTooNew
from headwater.ids import ContentId, Micros, Position
from headwater.openlineage.skeleton import put_back, references
from headwater.store.protocol import Appended, Record, StoredEvent
from headwater.store.sqlite.files import (
    chunks,
    connect,
    connect_reader,
    explained,
    insert,
    rows_of,
    size_on_disk,
    transaction,
)

# One script a version; a file of an older version is brought forward when it is opened.
MIGRATIONS = (
    """
    CREATE TABLE events (
        position INTEGER PRIMARY KEY, received INTEGER NOT NULL, digest BLOB NOT NULL,
        skeleton BLOB NOT NULL
    );
    CREATE UNIQUE INDEX events_digest ON events (digest);
    CREATE TABLE contents (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
    """,
)

# Content ids that are surely in the file. Forgetting one only costs a look.
_KNOWN_MAX = 200_000
_READ_AHEAD = 512
_AFTER = "SELECT position, received, skeleton FROM events WHERE position > ? ORDER BY position LIMIT ?"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class SqliteLog:
    def __init__(self, folder: Path) -> None:
        self._path = folder / "log.db"
        self._db = connect(self._path, durable=True)
        self._migrate()
        self._reader = connect_reader(self._path)
        self._known: set[ContentId] = set()
        self._last = self._read_last()
        self._compress = zstandard.ZstdCompressor(level=3, write_checksum=False).compress
        self._local = threading.local()

    def _migrate(self) -> None:
        with explained(self._path):
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise StoreTooNew(
                f"{self._path} was written by a newer headwater (format {version}, this one knows "
                f"{len(MIGRATIONS)}). Upgrade headwater, or choose another folder with --data."
            )
        for number, script in enumerate(MIGRATIONS[version:], version + 1):
            with transaction(self._db, self._path):
                for statement in filter(str.strip, script.split(";")):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {number}")

    def append(self, events: Sequence[Record], received: Micros) -> list[Appended]:
        known = self._positions([e.digest for e in events])
        answer: list[Appended] = []
        rows: list[tuple[Position, Micros, bytes, bytes]] = []
        unsure: dict[ContentId, bytes] = {}
        position = self._last
        for event in events:
            before = known.get(event.digest)
            if before is not None:
                answer.append(Appended(before, True))
                continue
            position = Position(position + 1)
            known[event.digest] = position
            answer.append(Appended(position, False))
            rows.append((position, received, event.digest, self._packed(event.skeleton)))
            for facet in event.facets:
                if facet.content not in self._known:
                    unsure[facet.content] = facet.body
        if rows:
            # A look costs a tenth of packing a body that is there already.
            there = self._which(unsure)
            with transaction(self._db, self._path):
                fresh = [(content, self._packed(body)) for content, body in unsure.items() if content not in there]
                insert(self._db, "INTO contents", fresh)
                insert(self._db, "INTO events", rows)
            self._last = position
            if len(self._known) + len(unsure) > _KNOWN_MAX:
                self._known.clear()
            self._known.update(unsure)
        return answer

    def _which(self, ids: Iterable[ContentId]) -> set[ContentId]:
        """Those of the contents that are in the file."""
        found: set[ContentId] = set()
        for marks, part in chunks(list(ids)):
            with explained(self._path):
                rows = rows_of(self._db, f"SELECT id FROM contents WHERE id IN ({marks})", part)
            found.update(row[0] for row in rows)
        return found

    def _packed(self, text: bytes) -> bytes:
        packed = self._compress(text)
        return packed if len(packed) < len(text) else text

    def _unpacked(self, stored: bytes) -> bytes:
        if not stored.startswith(_ZSTD_MAGIC):
            return stored
        try:
            return self._local.decompressor.decompress(stored)  # type: ignore[no-any-return]
        except AttributeError:  # two threads must not share one
            self._local.decompressor = zstandard.ZstdDecompressor()
            return self._unpacked(stored)

    def _positions(self, digests: list[bytes]) -> dict[bytes, Position]:
        found: dict[bytes, Position] = {}
        for marks, part in chunks(digests):
            with explained(self._path):
                sql = f"SELECT digest, position FROM events WHERE digest IN ({marks})"
                found.update(rows_of(self._db, sql, part))
        return found

    def last(self) -> Position:
        return self._last

    def _read_last(self) -> Position:
        with explained(self._path):
            return Position(self._db.execute("SELECT coalesce(max(position), 0) FROM events").fetchone()[0])

    def read(self, after: Position) -> Iterator[StoredEvent]:
        db = connect_reader(self._path)
        try:
            while True:
                with explained(self._path):
                    rows = rows_of(db, _AFTER, (after, _READ_AHEAD))
                if not rows:
                    return
                yield from self._whole(db, rows)
                after = rows[-1][0]
        finally:
            db.close()

    def events(self, positions: Sequence[Position]) -> list[StoredEvent]:
        rows: list[tuple[Any, ...]] = []
        for marks, part in chunks(positions):
            with explained(self._path):
                sql = f"SELECT position, received, skeleton FROM events WHERE position IN ({marks})"
                rows += rows_of(self._reader, sql, part)
        found = {event.position: event for event in self._whole(self._reader, rows)}
        return [found[p] for p in positions if p in found]

    def _whole(self, db: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> Iterator[StoredEvent]:
        skeletons = [self._unpacked(row[2]) for row in rows]
        wanted = {content for skeleton in skeletons for content in references(skeleton)}
        bodies = self._contents(db, wanted)
        for (position, received, _), skeleton in zip(rows, skeletons, strict=True):
            yield StoredEvent(position, received, put_back(skeleton, bodies.__getitem__))

    def contents(self, ids: Iterable[ContentId]) -> Mapping[ContentId, bytes]:
        return self._contents(self._reader, ids)

    def _contents(self, db: sqlite3.Connection, ids: Iterable[ContentId]) -> dict[ContentId, bytes]:
        found: dict[ContentId, bytes] = {}
        for marks, part in chunks(list(ids)):
            with explained(self._path):
                rows = rows_of(db, f"SELECT id, body FROM contents WHERE id IN ({marks})", part)
            for content, body in rows:
                found[content] = self._unpacked(body)
        return found

    def size(self) -> int:
        return size_on_disk(self._path)

    def close(self) -> None:
        self._reader.close()
        self._db.close()
