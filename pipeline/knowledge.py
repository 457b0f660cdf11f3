"""What the queries know of the topic's schemas, how it grows while they run, and what of it outlives a restart."""

import json
import threading
from collections.abc import Callable, Collection
from typing import Any, Protocol

from pipeline.records import Known
from pipeline.registry import Registry, RegistryAway
from pipeline.schemas import ORDER_VERSIONS, ORDERS_SUBJECT

REJECTED_FILE = "rejected-schema-ids.json"


class Notes(Protocol):
    """A text that outlives the application."""

    def read(self) -> str | None: ...

    def write(self, text: str) -> None: ...


class Knowledge:
    """Asked by the application, and kept up to date by a thread beside it."""

    def __init__(self, registry: Registry, notes: Notes) -> None:
        self._registry, self._notes, self._lock = registry, notes, threading.Lock()
        rejected = frozenset(json.loads(notes.read() or "[]"))
        # Whoever comes first: the jobs may be there before there is an order.
        registry.register(ORDERS_SUBJECT, ORDER_VERSIONS[1])
        self.current = Known(registry.versions(ORDERS_SUBJECT), rejected)

    def refresh(self) -> bool:
        """Asks the registry; says whether it had something new."""
        found = self._registry.versions(ORDERS_SUBJECT)
        with self._lock:
            if found == self.current.schemas:
                return False
            self.current = Known(found, self.current.rejected - found.keys())
            return True

    def learn(self, ids: Collection[int]) -> str:
        """Finds out about ids that a query met and did not know. What the registry does not know either is rejected,
        and stays so until it is registered."""
        if not frozenset(ids) <= self.current.schemas.keys() | self.current.rejected:
            self.refresh()
        with self._lock:
            new = frozenset(ids) - self.current.schemas.keys() - self.current.rejected
            if not new:
                return f"schema id {_list(ids)} is known by now"
            self.current = Known(self.current.schemas, self.current.rejected | new)
            self._notes.write(json.dumps(sorted(self.current.rejected)))
            return f"schema id {_list(new)} is not in the registry: its records are dead letters from now on"

    def watch(self, every: float, stopped: threading.Event, say: Callable[[str], None]) -> threading.Thread:
        def look() -> None:
            away = False
            while not stopped.wait(every):
                try:
                    if self.refresh():
                        say(f"the registry has {len(self.current.schemas)} versions of {ORDERS_SUBJECT} now")
                    away = False
                except RegistryAway as e:
                    if not away:
                        say(f"{e}; going on with the schemas that are known")
                    away = True

        thread = threading.Thread(target=look, name="registry", daemon=True)
        thread.start()
        return thread


class NotesInFolder:
    """In a file wherever Spark can write, so beside checkpoints on a shared store, too."""

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
