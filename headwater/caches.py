"""Caches with bounds."""

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memo(Generic[K, V]):
    """Forgets what was not asked for lately, at the price of one or two look-ups.

    Two generations: when the young one is full, the old one is dropped and the young one grows
    old. What is still in use moves back to the young one when it is asked for."""

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._young: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: K, value: V) -> V:
        if len(self._young) >= self._half:
            self._old, self._young = self._young, {}
        self._young[key] = value
        return value

    def clear(self) -> None:
        self._young, self._old = {}, {}


class Recent(OrderedDict[K, V]):
    """A dictionary of the last so many that were put in. One goes for each that comes: to drop many at
    once would take as long as to drop them one by one, but all in one moment."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        if len(self) > self._most:
            self.popitem(last=False)
