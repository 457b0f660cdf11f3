"""The schemas of the topic as the queries know them: they grow while the queries run, and rejected ids survive a
restart."""

import json
import threading
from collections.abc import Callable, Collection
from typing import Any, Protocol

from pipeline.records import KnownSchemas
from pipeline.registry import Registry, RegistryUnavailable
from pipeline.schemas import ORDER_VERSIONS, ORDERS_SUBJECT

REJECTED_FILE = "rejected-schema-ids.json"


class TextFile(Protocol):
    """A text that survives the application."""

    def read(self) -> str | None: ...

    def write(self, text: str) -> None: ...


class SchemaCatalog:
    """Used by the application, and kept up to date by a thread of its own."""

    def __init__(self, registry: Registry, rejected_file: TextFile) -> None:
        self._registry, self._file, self._lock = registry, rejected_file, threading.Lock()
        rejected = frozenset(json.loads(rejected_file.read() or "[]"))
        # The jobs may start before the first order is produced.
        registry.register(ORDERS_SUBJECT, ORDER_VERSIONS[1])
        self.current = KnownSchemas(registry.versions(ORDERS_SUBJECT), rejected)

    def refresh(self) -> bool:
        """Asks the registry; whether it had something new."""
        schemas = self._registry.versions(ORDERS_SUBJECT)
        with self._lock:
            if schemas == self.current.schemas:
                return False
            self.current = KnownSchemas(schemas, self.current.rejected - schemas.keys())
            return True

    def look_up(self, ids: Collection[int]) -> str:
        """Asks the registry for ids that a query met and did not know. An id that is not there is rejected, until
        somebody registers it. Returns what to log."""
        if not frozenset(ids) <= self.current.schemas.keys() | self.current.rejected:
            self.refresh()
        with self._lock:
            new = frozenset(ids) - self.current.schemas.keys() - self.current.rejected
            if not new:
                return f"schema id {_list(ids)} is known now"
            self.current = KnownSchemas(self.current.schemas, self.current.rejected | new)
            self._file.write(json.dumps(sorted(self.current.rejected)))
            return f"schema id {_list(new)} is not in the registry: its records become dead letters"

    def watch(self, every: float, stopped: threading.Event, log: Callable[[str], None]) -> threading.Thread:
        def refresh() -> None:
            away = False
            while not stopped.wait(every):
                try:
                    if self.refresh():
                        log(f"the registry now has {len(self.current.schemas)} versions of {ORDERS_SUBJECT}")
                    away = False
                except RegistryUnavailable as e:
                    if not away:
                        log(f"{e}; continuing with the known schemas")
                    away = True

        thread = threading.Thread(target=refresh, name="registry", daemon=True)
        thread.start()
        return thread


class RejectedFile:
    """A file wherever Spark can write: beside the checkpoints, also on a shared store."""

    def __init__(self, spark: Any, folder: str) -> None:
        jvm = spark.sparkContext._jvm
        self._path = jvm.org.apache.hadoop.fs.Path(f"{folder}/{REJECTED_FILE}")
        self._files = self._path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        self._jvm = jvm

    def read(self) -> str | None:
        if not self._files.exists(self._path):
            return None
        stream = self._files.open(self._path)
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def write(self, text: str) -> None:
        stream = self._files.create(self._path, True)
        try:
            stream.write(text.encode())
        finally:
            stream.close()


def _list(ids: Collection[int]) -> str:
    shown = ", ".join(str(number) for number in sorted(ids)[:5])
    return shown if len(ids) <= 5 else f"{shown} and {len(ids) - 5} more"
