"""Events that wait on disk until they can be sent: one file each, in the order in which they came. If the disk is
full, some wait in memory.

Every process has a folder of its own, which it locks. A folder that is not locked was abandoned: the next process
sends what is in it.
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
MAX_IN_MEMORY = 500


class Spool:
    def __init__(self, root: Path, max_bytes: int) -> None:
        self._root, self._max_bytes = root, max_bytes
        self._folder = root / folders.new_name()
        self._lock: folders.Lock | None = None
        self._waiting: deque[Path | str] = deque()  # a file, or the event itself
        self._in_memory = 0
        self._adopted: list[tuple[Path, folders.Lock]] = []
        self._number = 0
        self._size = 0
        self._adopt()

    def __len__(self) -> int:
        return len(self._waiting)

    def is_full(self) -> bool:
        return self._size > self._max_bytes

    def append(self, text: str) -> None:
        """OSError when both disk and memory are full."""
        try:
            self._waiting.append(self._write(text))
        except OSError as e:
            if self._in_memory >= MAX_IN_MEMORY:
                raise
            if self._in_memory == 0:
                log.warning("cannot write to %s, so lineage events wait in memory: %s", self._folder, e)
            self._waiting.append(text)
            self._in_memory += 1

    def first(self) -> str:
        first = self._waiting[0]
        return first if isinstance(first, str) else first.read_text(encoding="utf-8")

    def remove_first(self) -> None:
        self._take_first()
        if not self._waiting:
            self._clean()

    def reject_first(self) -> Path:
        """Moves the first event to a folder of its own, so that it does not hold up the rest."""
        text = self.first()
        rejected = self._root / "refused"
        rejected.mkdir(parents=True, exist_ok=True)
        path = rejected / f"{time.time_ns()}.json"
        folders.write(path, text)
        self.remove_first()
        return path

    def close(self) -> None:
        """Unlocks the folders: the next process may have them."""
        lost = 0
        for text in [waiting for waiting in self._waiting if isinstance(waiting, str)]:
            try:
                self._write(text)
            except OSError:
                lost += 1
        if lost:
            log.warning("lost %s lineage events: cannot write them to %s", lost, self._folder)
        for lock in [lock for _, lock in self._adopted] + ([self._lock] if self._lock is not None else []):
            lock.close()
        self._adopted, self._lock = [], None
        self._waiting.clear()

    def _write(self, text: str) -> Path:
        if self._lock is None:
            self._lock = folders.create(self._folder)
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
        for folder, lock in folders.abandoned(self._root):
            files = sorted(path for path in folder.iterdir() if _EVENT.fullmatch(path.name))
            self._waiting += files
            self._size += sum(path.stat().st_size for path in files)
            self._adopted.append((folder, lock))
        if not self._waiting:
            self._clean()

    def _clean(self) -> None:
        """When everything is sent, all folders go."""
        for folder, lock in self._adopted:
            folders.remove(folder, lock)
        self._adopted = []
        if self._lock is not None:
            folders.remove(self._folder, self._lock)
            self._lock = None
