"""The log in SQLite: skeletons of events in one order, and each facet's content once."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

from headwater.errors import StoreTooNew
from headwater.ids import ContentId, Micros, Position
from headwater.openlineage.skeleton import put_back, references
from headwater.store.protocol import Appended, Record, StoredEvent
from headwater.store.sqlite.files import (
    FileReader,
    Tidier,
    chunks,
    connect,
    connect_reader,
    explained,
    insert,
    rows_of,
    size_on_disk,
    transaction,
)

# One script for each version; an older file is migrated when it is opened.
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

# Content ids that are certainly in the file. Forgetting one only costs a lookup.
_KNOWN_MAX = 200_000
_READ_AHEAD = 512
_AFTER = "SELECT position, received, skeleton FROM events WHERE position > ? ORDER BY position LIMIT ?"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class SqliteLogReader(FileReader):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "log.db")

    def read(self, after: Position) -> Iterator[StoredEvent]:
        db = connect_reader(self._path)
        try:
            while True:
                with explained(self._path):
                    rows = self._rows(db, _AFTER, (after, _READ_AHEAD))
                if not rows:
                    return
                yield from self._whole(db, rows)
                after = rows[-1][0]
        finally:
            db.close()

    def events(self, positions: Sequence[Position]) -> list[StoredEvent]:
        db = self._readers.mine()
        rows: list[tuple[Any, ...]] = []
        for marks, part in chunks(positions):
            with explained(self._path):
                sql = f"SELECT position, received, skeleton FROM events WHERE position IN ({marks})"
                rows += self._rows(db, sql, part)
        events = {event.position: event for event in self._whole(db, rows)}
        return [events[p] for p in positions if p in events]

    def _whole(self, db: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> Iterator[StoredEvent]:
        skeletons = self._unpacked([row[2] for row in rows])
        contents = self._contents(db, {content for skeleton in skeletons for content in references(skeleton)})
        for (position, received, _), skeleton in zip(rows, skeletons, strict=True):
            yield StoredEvent(position, received, put_back(skeleton, contents.__getitem__))

    def contents(self, ids: Iterable[ContentId]) -> Mapping[ContentId, bytes]:
        return self._contents(self._readers.mine(), ids)

    def _contents(self, db: sqlite3.Connection, ids: Iterable[ContentId]) -> dict[ContentId, bytes]:
        contents: dict[ContentId, bytes] = {}
        for marks, part in chunks(list(ids)):
            with explained(self._path):
                rows = self._rows(db, f"SELECT id, body FROM contents WHERE id IN ({marks})", part)
            unpacked = self._unpacked([packed for _, packed in rows])
            contents.update(zip((content for content, _ in rows), unpacked, strict=True))
        return contents

    def _unpacked(self, stored: list[bytes]) -> list[bytes]:
        packed, zstd = [data for data in stored if data.startswith(_ZSTD_MAGIC)], zstandard.ZstdDecompressor()
        if len(packed) == len(stored) == 1:
            return [zstd.decompress(stored[0])]
        unpacked = _segments(zstd.multi_decompress_to_buffer, packed)
        return [next(unpacked) if data.startswith(_ZSTD_MAGIC) else data for data in stored]


class SqliteLog(SqliteLogReader):
    """For the server: reads and writes beside its event loop."""

    _rows = staticmethod(rows_of)

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._db = connect(self._path, durable=True)
        self._migrate()
        self._tidier = Tidier(self._path)
        self.known_contents: set[ContentId] = set()
        self._last = self._read_last()
        self._compressor = zstandard.ZstdCompressor(level=3, write_checksum=False)

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

    def append(self, events: Sequence[Record], received: Micros, stored: Collection[ContentId] = ()) -> list[Appended]:
        try:
            return self._append(events, received, stored, {})
        except sqlite3.IntegrityError:
            # Some of them are in the log already. That is rare, and SQLite checks digests anyway.
            return self._append(events, received, stored, self._positions([event.digest for event in events]))

    def _append(
        self,
        events: Sequence[Record],
        received: Micros,
        stored: Collection[ContentId],
        positions: dict[bytes, Position],
    ) -> list[Appended]:
        """`positions`: where events are in the log already, by their digest."""
        results: list[Appended] = []
        fresh: list[tuple[Position, Record]] = []
        new_contents: dict[ContentId, bytes] = {}  # to the log's knowledge
        position = self._last
        for event in events:
            first = positions.get(event.digest)
            if first is not None:
                results.append(Appended(first, True))
                continue
            position = Position(position + 1)
            positions[event.digest] = position
            results.append(Appended(position, False))
            fresh.append((position, event))
            for facet in event.facets:
                if facet.content_id not in self.known_contents and facet.content_id not in stored:
                    new_contents[facet.content_id] = facet.content
        if fresh:
            packed = self._packed([*new_contents.values(), *(event.skeleton for _, event in fresh)])
            contents = list(zip(new_contents, packed, strict=False))
            skeletons = zip(fresh, packed[len(new_contents) :], strict=True)
            rows = [(position, received, event.digest, skeleton) for (position, event), skeleton in skeletons]
            with transaction(self._db, self._path):
                insert(self._db, "INTO contents", contents, "ON CONFLICT DO NOTHING")
                insert(self._db, "INTO events", rows, "ON CONFLICT (position) DO NOTHING")
            self._last = position
            if len(self.known_contents) + len(new_contents) > _KNOWN_MAX:
                self.known_contents.clear()
            self.known_contents.update(new_contents)
        return results

    def _packed(self, texts: list[bytes]) -> list[bytes]:
        packed = _segments(self._compressor.multi_compress_to_buffer, texts)
        return [min(pair, key=len) for pair in zip(texts, packed, strict=True)]

    def _positions(self, digests: list[bytes]) -> dict[bytes, Position]:
        positions: dict[bytes, Position] = {}
        for marks, part in chunks(digests):
            with explained(self._path):
                sql = f"SELECT digest, position FROM events WHERE digest IN ({marks})"
                positions.update(rows_of(self._db, sql, part))
        return positions

    def last(self) -> Position:
        return self._last

    def _read_last(self) -> Position:
        with explained(self._path):
            return Position(self._db.execute("SELECT coalesce(max(position), 0) FROM events").fetchone()[0])

    def size(self) -> int:
        return size_on_disk(self._path)

    def tidy(self) -> None:
        self._tidier.tidy()

    def close(self) -> None:
        super().close()
        self._tidier.close()
        self._db.close()


def _segments(work: Callable[[Any], Any], texts: list[bytes]) -> Iterator[bytes]:
    """Many texts in one call: each call releases Python's lock, and waits for it while the event loop works."""
    for segment in work(texts) if texts else ():
        yield segment.tobytes()
