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
        found = {event.position: event for event in self._whole(db, rows)}
        return [found[p] for p in positions if p in found]

    def _whole(self, db: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> Iterator[StoredEvent]:
        skeletons = self._unpacked([row[2] for row in rows])
        wanted = {content for skeleton in skeletons for content in references(skeleton)}
        bodies = self._contents(db, wanted)
        for (position, received, _), skeleton in zip(rows, skeletons, strict=True):
            yield StoredEvent(position, received, put_back(skeleton, bodies.__getitem__))

    def contents(self, ids: Iterable[ContentId]) -> Mapping[ContentId, bytes]:
        return self._contents(self._readers.mine(), ids)

    def _contents(self, db: sqlite3.Connection, ids: Iterable[ContentId]) -> dict[ContentId, bytes]:
        found: dict[ContentId, bytes] = {}
        for marks, part in chunks(list(ids)):
            with explained(self._path):
                rows = self._rows(db, f"SELECT id, body FROM contents WHERE id IN ({marks})", part)
            bodies = self._unpacked([body for _, body in rows])
            found.update(zip((content for content, _ in rows), bodies, strict=True))
        return found

    def _unpacked(self, stored: list[bytes]) -> list[bytes]:
        packed, unpack = [one for one in stored if one.startswith(_ZSTD_MAGIC)], zstandard.ZstdDecompressor()
        if len(packed) == len(stored) == 1:
            return [unpack.decompress(stored[0])]
        texts = _segments(unpack.multi_decompress_to_buffer, packed)
        return [next(texts) if one.startswith(_ZSTD_MAGIC) else one for one in stored]


class SqliteLog(SqliteLogReader):
    """Beside an event loop."""

    _rows = staticmethod(rows_of)

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._db = connect(self._path, durable=True)
        self._migrate()
        self._tidier = Tidier(self._path)
        self.known: set[ContentId] = set()
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

    def append(self, events: Sequence[Record], received: Micros, held: Collection[ContentId] = ()) -> list[Appended]:
        try:
            return self._append(events, received, held, {})
        except sqlite3.IntegrityError:
            # Some of them are in the log already. That is rare, and SQLite has to look anyway.
            return self._append(events, received, held, self._positions([event.digest for event in events]))

    def _append(
        self, events: Sequence[Record], received: Micros, held: Collection[ContentId], known: dict[bytes, Position]
    ) -> list[Appended]:
        answer: list[Appended] = []
        fresh: list[tuple[Position, Record]] = []
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
            fresh.append((position, event))
            for facet in event.facets:
                if facet.content not in self.known and facet.content not in held:
                    unsure[facet.content] = facet.body
        if fresh:
            packed = self._packed([*unsure.values(), *(event.skeleton for _, event in fresh)])
            contents = list(zip(unsure, packed, strict=False))
            told = zip(fresh, packed[len(unsure) :], strict=True)
            rows = [(position, received, event.digest, skeleton) for (position, event), skeleton in told]
            with transaction(self._db, self._path):
                insert(self._db, "INTO contents", contents, "ON CONFLICT DO NOTHING")
                insert(self._db, "INTO events", rows, "ON CONFLICT (position) DO NOTHING")
            self._last = position
            if len(self.known) + len(unsure) > _KNOWN_MAX:
                self.known.clear()
            self.known.update(unsure)
        return answer

    def _packed(self, texts: list[bytes]) -> list[bytes]:
        packed = _segments(self._compressor.multi_compress_to_buffer, texts)
        return [min(pair, key=len) for pair in zip(texts, packed, strict=True)]

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

    def size(self) -> int:
        return size_on_disk(self._path)

    def tidy(self) -> None:
        self._tidier.tidy()

    def close(self) -> None:
        super().close()
        self._tidier.close()
        self._db.close()


def _segments(work: Callable[[Any], Any], texts: list[bytes]) -> Iterator[bytes]:
    """Many texts at once: each call gives Python's lock away, and waits for it while the event loop works."""
    for segment in work(texts) if texts else ():
        yield segment.tobytes()
