"""Events that wait on disk until they can be sent: one file each, in the order in which they came. When the disk does
not take them, some wait in memory.

Every process has a folder of its own, which it holds by a lock. A folder that nobody holds any more is
what a process left behind; the next one to come sends it.
"""

import logging
import re
import time
from collections import deque
from pathlib import Path

from headwater.emit import folders

log = logging.getLogger("headwater.spark")

_EVENT = re.compile(r"\d{12}\.json")
# A few megabytes.
IN_MEMORY = 500


class Spool:
    def __init__(self, root: Path, room: int) -> None:
        self._root, self._room = root, room
        self._folder = root / folders.name()
        self._lock: folders.Lock | None = None
        self._waiting: deque[Path | str] = deque()  # a file, or the event itself
        self._in_memory = 0
        self._left: list[tuple[Path, folders.Lock]] = []
        self._number = 0
        self._size = 0
        self._adopt()

    def __len__(self) -> int:
        return len(self._waiting)

    def is_full(self) -> bool:
        return self._size > self._room

    def append(self, text: str) -> None:
        """OSError when neither the disk nor memory has room."""
        try:
            self._waiting.append(self._write(text))
        except OSError as e:
            if self._in_memory >= IN_MEMORY:
                raise
            if self._in_memory == 0:
                log.warning("events of lineage wait in memory, as they cannot be kept in %s: %s", self._folder, e)
            self._waiting.append(text)
            self._in_memory += 1

    def first(self) -> str:
        first = self._waiting[0]
        return first if isinstance(first, str) else first.read_text(encoding="utf-8")

    def remove_first(self) -> None:
        self._take_first()
        if not self._waiting:
            self._clean()

    def refuse_first(self) -> Path:
        """What nobody takes is kept apart, so that it does not hold up the rest."""
        text = self.first()
        refused = self._root / "refused"
        refused.mkdir(parents=True, exist_ok=True)
        kept = refused / f"{time.time_ns()}.json"
        folders.write(kept, text)
        self.remove_first()
        return kept

    def close(self) -> None:
        """Lets go of the folders: the next process may have them."""
        lost = 0
        for text in [waiting for waiting in self._waiting if isinstance(waiting, str)]:
            try:
                self._write(text)
            except OSError:
                lost += 1
        if lost:
            log.warning("%s events of lineage are lost, as they cannot be kept in %s", lost, self._folder)
        for lock in [lock for _, lock in self._left] + ([self._lock] if self._lock is not None else []):
            lock.close()
        self._left, self._lock = [], None
        self._waiting.clear()

    def _write(self, text: str) -> Path:
        if self._lock is None:
            self._lock = folders.make(self._folder)
        self._number += 1
        path = self._folder / f"{self._number:012}.json"
        folders.write(path, text)
        self._size += len(text.encode())
        return path

    def _take_first(self) -> None:
        first = self._waiting.popleft()
        if isinstance(first, str):
            self._in_memory -= 1
        else:
            self._size -= first.stat().st_size
            first.unlink()

    def _adopt(self) -> None:
        for folder, lock in folders.left(self._root):
            files = sorted(path for path in folder.iterdir() if _EVENT.fullmatch(path.name))
            self._waiting += files
            self._size += sum(path.stat().st_size for path in files)
            self._left.append((folder, lock))
        if not self._waiting:
            self._clean()

    def _clean(self) -> None:
        """Everything is sent: the folders of others go, and our own when it is empty."""
        for folder, lock in self._left:
            folders.remove(folder, lock)
        self._left = []
        if self._lock is not None:
            folders.remove(self._folder, self._lock)
            self._lock = None
