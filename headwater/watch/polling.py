"""The frame of a watcher: it polls a system again and again, survives what goes wrong, and knows how well it goes.

A watcher for one system (`watch/<system>/`) brings `poll`, which looks once and reports what it sees. The decisions
in it are pure functions of what was seen; what they need to remember is in the watcher's own folder.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from headwater.errors import HeadwaterError

log = logging.getLogger("headwater.watch")


async def poll_forever(
    poll: Callable[[], Awaitable[None]], pause: Callable[[], float], after: Callable[[], None] = lambda: None
) -> None:
    """Until it is cancelled. `pause`: seconds from the start of this poll to the start of the next. `after` is called
    after each poll. An unexpected error costs one poll; a HeadwaterError is for the user to solve, and ends it."""
    while True:
        began = time.monotonic()
        try:
            await poll()
        except HeadwaterError:
            raise
        except Exception:
            log.exception("a poll failed; the next one follows")
        after()
        await asyncio.sleep(max(0.0, pause() - (time.monotonic() - began)))


class Health:
    """How polling goes, and which problems last. Each problem is logged when it begins and when it is over."""

    def __init__(self, system: str) -> None:
        self._system = system
        self._lasting: set[str] = set()
        self.polls = 0
        """Polls that were answered."""
        self.problem = ""
        """Why the latest poll was not answered; empty if it was."""

    def answered(self) -> None:
        self.problem = ""
        self.resolve(self._system, f"{self._system} answers again")

    def unanswered(self, problem: str) -> None:
        self.problem = problem
        self.warn(self._system, f"{problem}; the last known state stays until {self._system} answers")

    def warn(self, key: str, text: str) -> None:
        """Logs a problem, unless one with this key lasts already."""
        if key not in self._lasting:
            log.warning("%s", text)
        self._lasting.add(key)

    def resolve(self, key: str, text: str) -> None:
        if key in self._lasting:
            log.warning("%s", text)
        self._lasting.discard(key)


class Backoff:
    """When to ask again: soon after an answer that differs from the one before, and ever later while it stays."""

    def __init__(self, first: float, longest: float) -> None:
        self._first, self._longest = first, longest
        self.reset()

    def reset(self) -> None:
        self._pause, self._next = self._first, 0.0

    def is_due(self, now: float) -> bool:
        return now >= self._next

    def answered(self, now: float, *, changed: bool) -> None:
        self._pause = self._first if changed else min(self._pause * 2, self._longest)
        self._next = now + self._pause


class BackgroundTask:
    """Slow lookups, made beside the polls: at most one round of them at a time."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._task: asyncio.Task[None] | None = None

    def start(self, work: Callable[[], Awaitable[None]]) -> None:
        """Does nothing while the round before is not over."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._guarded(work))

    async def wait(self, seconds: float) -> None:
        if self._task is not None:
            await asyncio.wait([self._task], timeout=seconds)

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception:
            log.exception("cannot look up %s", self._what)
