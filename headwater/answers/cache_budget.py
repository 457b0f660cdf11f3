"""JSON that is kept between questions, within bounds."""

from collections.abc import MutableMapping
from typing import Any

# When the kept bytes reach this they are dropped, and made again as they are asked for.
KEPT_BYTES = 32 << 20


class Room:
    """Counts the bytes that several stores keep together, and empties them when it is too much."""

    def __init__(self) -> None:
        self._stores: list[MutableMapping[Any, Any]] = []
        self._bytes = 0

    def shared_by(self, *stores: MutableMapping[Any, Any]) -> None:
        self._stores += stores

    def take(self, size: int) -> None:
        """To be called before something is kept."""
        self._bytes += size
        if self._bytes > KEPT_BYTES:
            for store in self._stores:
                store.clear()
            self._bytes = size
