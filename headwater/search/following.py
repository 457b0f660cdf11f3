"""An index that follows the state.

    state.touched ─► fingerprints compared ─► documents of what moved ─► index.add, commit
                     (loop, in slices)        (loop, in slices)          (thread)

The index is derived, and keeps with each document a fingerprint of what it was made from. So a
start, a crash or a failure need no bookkeeping: every node is compared once, which costs some
microseconds each, and whatever differs is written anew.
"""

import asyncio
import logging
import time
from array import array
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar

from headwater.errors import StoreUnavailable
from headwater.facet_contents import Contents
from headwater.ids import Node, Position
from headwater.ingest.service import Service
from headwater.model.entities import Dataset
from headwater.search.documents import Documents, differs_only_in_time
from headwater.search.index import Index, IndexUnusable

logger = logging.getLogger(__name__)

FOLDER = "search"

# While things change, the index is written about this often.
_EVERY_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 60.0  # between attempts that fail

# Work on the loop goes in slices of about a millisecond.
_NODES_PER_SLICE, _DOCUMENTS_PER_SLICE = 256, 16

# While events come in, the loop is theirs: this many times the time of a slice.
_PAUSE = 3.0

# What is added is committed after so many documents at the latest, so that a long build can be
# searched, and goes on after a crash where it was.
_DOCUMENTS_PER_COMMIT = 20_000

# Documents in which nothing but the hour moved are written at leisure: at once where it is quiet or somebody asks by
# time, and otherwise so many each time. An hour has room for half a million.
_TIMES_EVERY_SECONDS, _TIMES_AT_ONCE = 15.0, 2048

# A query waits until the index has all events before it. But where events come in all the time,
# which a moment shows, it is answered from the index as it is, at most a second old.
_MOMENT_SECONDS, _STREAM_SECONDS = 0.01, 0.25
_LONGEST_WAIT_SECONDS = 5.0  # while an index is built

T = TypeVar("T")


class Following:
    def __init__(self, service: Service, contents: Contents, data: Path) -> None:
        self._state, self._folder = service.state, data / FOLDER
        self._documents = Documents(service, contents)
        self._events_come_in = service.events_come_in
        self._stream_until = 0.0
        self._touched = self._state.follow()
        self._index: Index | None = None
        self._to_open = True
        self._fingerprints = array("Q")
        self._late: dict[Node, None] = {}  # what has another hour in the index, in the order in which that was seen
        self._times_written = 0.0
        self._asking_by_time: list[asyncio.Future[None]] = []
        self.position = Position(-1)  # what the index has
        self._failing = False
        self._wake = asyncio.Event()
        self._waiting: list[asyncio.Future[None]] = []
        self._thread = ThreadPoolExecutor(1, "headwater-search")
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._follow_forever(), name="search index")

    async def stop(self) -> None:
        """What is not in the index yet gets there after the next start."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._in_thread(self._close)
        self._thread.shutdown()

    def _in_thread(self, work: Callable[..., T], *arguments: Any) -> "asyncio.Future[T]":
        return asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def _close(self) -> None:
        if self._index is not None:
            self._index.close()

    def size(self) -> int:
        return self._index.size() if self._index is not None else 0

    async def reached(self, position: Position) -> None:
        """Returns when the index has this position of the log, which the state must have. Raises
        StoreUnavailable where it cannot be written."""
        while self.position < position:
            attempt: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(attempt)
            self._wake.set()
            await attempt

    async def _follow_forever(self) -> None:
        pause = _EVERY_SECONDS
        while True:
            self._wake.clear()
            failure: StoreUnavailable | None = None
            try:
                await self._follow()
                self._failing, pause = False, _EVERY_SECONDS
            except Exception as e:
                failure = StoreUnavailable(f"the search index cannot be written: {e}")
                # Part of it may be written, and part of what was to be written is forgotten.
                # What was opened before still answers.
                self._failing, self._to_open, pause = True, True, min(pause * 2, _LONGEST_PAUSE_SECONDS)
                await self._in_thread(self._close)
                logger.warning("the search index falls behind, next attempt in %.0f s: %s", pause, e)
            waiting, self._waiting = self._waiting, []
            for attempt in waiting:
                if not attempt.done():
                    attempt.set_result(None) if failure is None else attempt.set_exception(failure)
            if self._failing:
                await asyncio.sleep(pause)
                continue
            # Not `wait_for`, which may swallow a cancellation that comes together with the event.
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._wake.wait()

    async def _follow(self) -> None:
        """Brings the index to where the state is now."""
        position = self._state.position
        if self._to_open:
            self._state.take_touched(self._touched)
            count = len(self._state.nodes)
            await self._in_thread(self._close)
            await self._in_thread(self._open, count)
            self._late, self._to_open = {}, False
            await self._write(map(Node, range(count)))
        else:
            touched = self._state.take_touched(self._touched)
            # What is shown of a dataset may hang on any of its other names.
            groups = (self._state.aliases.members(n) for n in touched if isinstance(self._state.nodes[n], Dataset))
            await self._write(touched.union(chain.from_iterable(groups)))
        await self._write_times()
        self.position = position

    def _open(self, nodes: int) -> None:
        """In the thread, which also closes: so there is no moment at which nobody knows of it."""
        try:
            self._index = Index(self._folder)
            self._fingerprints = self._index.fingerprints(nodes)
            return
        except IndexUnusable as e:
            if self._folder.exists():
                logger.warning("the search index is made anew: %s", e)
        self._close()
        self._index = Index(self._folder, anew=True)
        self._fingerprints = self._index.fingerprints(nodes)

    async def _write(self, nodes: Iterable[Node]) -> None:
        self._fingerprints.extend([0] * (len(self._state.nodes) - len(self._fingerprints)))
        moved: list[Node] = []
        every = iter(nodes)
        while batch := list(islice(every, _NODES_PER_SLICE)):
            began = time.perf_counter()
            for node in batch:
                was, now = self._fingerprints[node], self._documents.fingerprint(node)
                if was != now:
                    if differs_only_in_time(was, now):
                        self._late[node] = None
                    else:
                        moved.append(node)
            await self._let_others(began)
            if len(moved) >= _DOCUMENTS_PER_COMMIT:
                await self._put(moved)
                moved = []
        await self._put(moved)

    async def _write_times(self) -> None:
        asking, self._asking_by_time = self._asking_by_time, []
        try:
            if not self._late:
                return
            if asking or not self._events_come_in():
                late = list(self._late)
            elif time.monotonic() > self._times_written + _TIMES_EVERY_SECONDS:
                late = list(islice(self._late, _TIMES_AT_ONCE))
            else:
                return
            self._times_written = time.monotonic()
            for start in range(0, len(late), _DOCUMENTS_PER_COMMIT):
                await self._put(late[start : start + _DOCUMENTS_PER_COMMIT])
        finally:
            for each in asking:
                if not each.done():
                    each.set_result(None)

    async def _put(self, moved: list[Node]) -> None:
        """Writes the documents of these nodes, and takes out those that are not shown any more."""
        index = self._index
        assert index is not None
        if not moved:
            return
        written: dict[Node, int] = {}
        for start in range(0, len(moved), _DOCUMENTS_PER_SLICE):
            began = time.perf_counter()
            batch = moved[start : start + _DOCUMENTS_PER_SLICE]
            # The state may have moved on since, so the fingerprint is taken with the document.
            prints = {node: self._documents.fingerprint(node) for node in batch}
            documents = await self._documents.read([node for node in batch if prints[node]])
            written.update(prints)
            await self._let_others(began)
            await self._in_thread(
                index.add, [(t, prints[t.node]) for t in documents], [n for n in batch if not prints[n]]
            )
        await self._in_thread(index.commit)
        for node, fingerprint in written.items():
            self._fingerprints[node] = fingerprint
            self._late.pop(node, None)

    async def _let_others(self, began: float) -> None:
        await asyncio.sleep((time.perf_counter() - began) * _PAUSE if self._events_come_in() else 0)

    def open_again(self) -> None:
        """It is damaged."""
        self._to_open = True
        self._wake.set()

    async def catch_up(self) -> None:
        """A query finds all events before it, unless they come in without end."""
        target = self._state.position
        if self.position >= target or self._failing:
            return
        if time.monotonic() < self._stream_until:
            if self._events_come_in():
                self._stream_until = time.monotonic() + _STREAM_SECONDS
            return
        reached = asyncio.ensure_future(self.reached(target))
        until = time.monotonic() + _LONGEST_WAIT_SECONDS
        try:
            while not reached.done() and time.monotonic() < until:
                await asyncio.wait((reached,), timeout=_MOMENT_SECONDS)
                if not reached.done() and self._state.position > target and self._index is not None:
                    self._stream_until = time.monotonic() + _STREAM_SECONDS
                    break
        finally:
            reached.cancel()
        if reached.done() and not reached.cancelled():
            reached.exception()  # it is in the server's log; the index as it is still answers

    async def catch_up_times(self) -> None:
        """For questions by time."""
        if not self._late or self._failing:
            return
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asking_by_time.append(written)
        self._wake.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_WAIT_SECONDS):
                await written
