"""JSON that is cached between questions, within bounds."""

from collections.abc import MutableMapping
from typing import Any

# When the cached bytes reach this they are dropped, and made again when needed.
CACHE_BYTES = 32 << 20


class CacheBudget:
    """Counts the bytes in several caches, and empties all of them when together they have too many."""

    def __init__(self) -> None:
        self._caches: list[MutableMapping[Any, Any]] = []
        self._bytes = 0

    def share(self, *caches: MutableMapping[Any, Any]) -> None:
        self._caches += caches

    def spend(self, size: int) -> None:
        """To be called before something is cached."""
        self._bytes += size
        if self._bytes > CACHE_BYTES:
            for cache in self._caches:
                cache.clear()
            self._bytes = size
