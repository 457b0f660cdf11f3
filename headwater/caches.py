"""Caches with bounds."""

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class TwoGenerationCache(Generic[K, V]):
    """Drops what was not looked up lately. A look-up costs one or two dictionary look-ups.

    There are two generations: when the young one is full, the old one is dropped and the young one
    becomes the old one. An entry that is looked up in the old one moves back to the young one."""

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._young: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        value = self._young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self.put(key, value)
        return value

    def put(self, key: K, value: V) -> V:
        if len(self._young) >= self._half:
            self._old, self._young = self._young, {}
        self._young[key] = value
        return value

    def clear(self) -> None:
        self._young, self._old = {}, {}


class LatestCache(OrderedDict[K, V]):
    """A dictionary of the latest entries. Each new one pushes out the oldest: dropping many at once would
    take just as long, but in one go."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        if len(self) > self._most:
            self.popitem(last=False)
