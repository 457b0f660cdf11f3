"""Opens the store that the settings name."""

from collections.abc import Iterator
from contextlib import contextmanager

from headwater.config import Settings
from headwater.errors import BadRequest, StoreDamaged
from headwater.store.protocol import Log, Tables
from headwater.store.sqlite.files import FolderLock
from headwater.store.sqlite.log import SqliteLog
from headwater.store.sqlite.tables import SqliteTables


@contextmanager
def open_store(settings: Settings) -> Iterator[tuple[Log, Tables]]:
    """The log and the tables, with the data folder locked. The caller closes them."""
    if settings.store != "sqlite":
        raise BadRequest(f"unknown store {settings.store!r}; available: sqlite")
    lock = FolderLock(settings.data)
    try:
        try:
            log = SqliteLog(settings.data)
        except StoreDamaged as e:
            raise StoreDamaged(
                f"{e}. The log is the only copy of the events: restore {settings.data / 'log.db'} from a "
                "backup, or move the folder away and start with an empty one."
            ) from None
        yield log, SqliteTables(settings.data)
    finally:
        lock.release()
