"""Queries have a deadline, and nobody works for a client that has left.

The deadline counts until the answer begins, so a stream may go on for as long as its client
listens. Most answers are there within a few milliseconds; only the other queries are checked:
whether they are too late, and whether the client is still there.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from enum import Enum
from typing import Any

from headwater.api.ingest import Receive, Scope, Send
from headwater.errors import TookTooLong
from headwater.ingest.counters import Counters

# How often running queries are checked.
_CHECK_SECONDS = 0.05

_WITHOUT_BODY = ("GET", "HEAD", "OPTIONS", "DELETE")

_Message = MutableMapping[str, Any]
_App = Callable[[Scope, Receive, Send], Awaitable[None]]


class QueryDeadlines:
    def __init__(self, app: _App, counters: Counters, seconds: float) -> None:
        self._app, self._counters, self._seconds = app, counters, seconds
        self._running: set[_Request] = set()
        self._is_checking = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Runs the application; raises TookTooLong if its answer has not begun by the deadline."""
        request = _Request(scope, receive, send, self._finished)
        self._started(request)
        try:
            await self._app(scope, request.receive, request.send)
        except asyncio.CancelledError:
            if request.stopped is None:
                raise
            request.task.uncancel()
            if request.stopped is _Stopped.TOO_LATE:
                self._counters.queries_timed_out += 1
                raise TookTooLong(f"no answer within {self._seconds:g} s; try a smaller depth or limit") from None
            self._counters.queries_abandoned += 1
        finally:
            self._finished(request)
            request.close()

    def _started(self, request: "_Request") -> None:
        self._running.add(request)
        self._counters.queries_running = len(self._running)
        if not self._is_checking:
            self._check_later()

    def _finished(self, request: "_Request") -> None:
        """It is done, or its answer has begun."""
        self._running.discard(request)
        self._counters.queries_running = len(self._running)

    def _check_later(self) -> None:
        self._is_checking = True
        asyncio.get_running_loop().call_later(min(_CHECK_SECONDS, self._seconds), self._check)

    def _check(self) -> None:
        self._is_checking = False
        deadline = asyncio.get_running_loop().time() - self._seconds
        for request in self._running:
            if request.began <= deadline:
                request.stop(_Stopped.TOO_LATE)
            else:
                request.watch()
        if self._running:
            self._check_later()


class _Stopped(Enum):
    TOO_LATE, CLIENT_LEFT = range(2)


class _Request:
    """One request, between the server and the application."""

    __slots__ = (
        "_body_is_read",
        "_is_reading",
        "_on_answer",
        "_receive",
        "_send",
        "_watch",
        "began",
        "stopped",
        "task",
    )

    def __init__(self, scope: Scope, receive: Receive, send: Send, on_answer: "Callable[[_Request], None]") -> None:
        task = asyncio.current_task()
        assert task is not None
        self.task = task
        self.began = task.get_loop().time()
        self.stopped: _Stopped | None = None
        self._receive, self._send = receive, send
        self._on_answer: Callable[[_Request], None] | None = on_answer
        self._body_is_read = scope["method"] in _WITHOUT_BODY
        self._is_reading = False
        self._watch: asyncio.Task[None] | None = None

    def close(self) -> None:
        if self._watch is not None:
            self._watch.cancel()

    async def receive(self) -> _Message:
        """What the application receives: the body, and then nothing until the client leaves."""
        if self._watch is not None:
            await asyncio.shield(self._watch)
            return {"type": "http.disconnect"}
        self._is_reading = True
        try:
            message = await self._receive()
        finally:
            self._is_reading = False
        if not message.get("more_body", False):
            self._body_is_read = True
        return message

    def send(self, message: _Message) -> Awaitable[None]:
        if self._on_answer is not None:
            self._on_answer(self)
            self._on_answer = None
        return self._send(message)

    def watch(self) -> None:
        """Only one may read at a time, and the body is for the application."""
        if self._watch is None and self._body_is_read and not self._is_reading:
            self._watch = self.task.get_loop().create_task(self._wait_for_disconnect())

    async def _wait_for_disconnect(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.stop(_Stopped.CLIENT_LEFT)

    def stop(self, reason: _Stopped) -> None:
        if self._on_answer is not None and self.stopped is None:
            self.stopped = reason
            self.task.cancel()
