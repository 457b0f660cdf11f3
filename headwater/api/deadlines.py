"""Questions have a time limit, and nobody works for a client that has left.

The limit counts until the answer begins, so a stream may go on for as long as its client
listens. Most answers are there within a few milliseconds; only for the others somebody looks
whether the client is still there.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from enum import Enum
from typing import Any

from headwater.api.ingest import Receive, Scope, Send
from headwater.errors import TookTooLong
from headwater.ingest.counters import Counters

# How often to look at the questions that are being worked on.
_LOOK_SECONDS = 0.05

_WITHOUT_BODY = ("GET", "HEAD", "OPTIONS", "DELETE")

_Message = MutableMapping[str, Any]
_App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Guard:
    def __init__(self, app: _App, counters: Counters, seconds: float) -> None:
        self._app, self._counters, self._seconds = app, counters, seconds
        self._running: set[_Request] = set()
        self._is_looking = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Runs the application; raises TookTooLong, if it did before its answer began."""
        request = _Request(scope, receive, send, self._ends)
        self._begins(request)
        try:
            await self._app(scope, request.receive, request.send)
        except asyncio.CancelledError:
            if request.stopped is None:
                raise
            request.task.uncancel()
            if request.stopped is _Why.LATE:
                self._counters.queries_timed_out += 1
                raise TookTooLong(
                    f"no answer within {self._seconds:g} s; ask for less, with a smaller depth or limit"
                ) from None
            self._counters.queries_abandoned += 1
        finally:
            self._ends(request)
            request.close()

    def _begins(self, request: "_Request") -> None:
        self._running.add(request)
        self._counters.queries_running = len(self._running)
        if not self._is_looking:
            self._look_later()

    def _ends(self, request: "_Request") -> None:
        """It is done, or its answer has begun."""
        self._running.discard(request)
        self._counters.queries_running = len(self._running)

    def _look_later(self) -> None:
        self._is_looking = True
        asyncio.get_running_loop().call_later(min(_LOOK_SECONDS, self._seconds), self._look)

    def _look(self) -> None:
        self._is_looking = False
        late = asyncio.get_running_loop().time() - self._seconds
        for request in self._running:
            if request.began <= late:
                request.stop(_Why.LATE)
            else:
                request.watch()
        if self._running:
            self._look_later()


class _Why(Enum):
    LATE, LEFT = range(2)


class _Request:
    """One request, between the server and the application."""

    __slots__ = (
        "_being_read",
        "_body_is_read",
        "_first_word",
        "_receive",
        "_send",
        "_watch",
        "began",
        "stopped",
        "task",
    )

    def __init__(self, scope: Scope, receive: Receive, send: Send, answer_begins: "Callable[[_Request], None]") -> None:
        task = asyncio.current_task()
        assert task is not None
        self.task = task
        self.began = task.get_loop().time()
        self.stopped: _Why | None = None
        self._receive, self._send = receive, send
        self._first_word: Callable[[_Request], None] | None = answer_begins
        self._body_is_read = scope["method"] in _WITHOUT_BODY
        self._being_read = False
        self._watch: asyncio.Task[None] | None = None

    def close(self) -> None:
        if self._watch is not None:
            self._watch.cancel()

    async def receive(self) -> _Message:
        """What the application sees: the body, and then nothing until the client leaves."""
        if self._watch is not None:
            await asyncio.shield(self._watch)
            return {"type": "http.disconnect"}
        self._being_read = True
        try:
            message = await self._receive()
        finally:
            self._being_read = False
        if not message.get("more_body", False):
            self._body_is_read = True
        return message

    def send(self, message: _Message) -> Awaitable[None]:
        if self._first_word is not None:
            self._first_word(self)
            self._first_word = None
        return self._send(message)

    def watch(self) -> None:
        """Only one may read at a time, and the body is for the application."""
        if self._watch is None and self._body_is_read and not self._being_read:
            self._watch = self.task.get_loop().create_task(self._wait_for_leaving())

    async def _wait_for_leaving(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.stop(_Why.LEFT)

    def stop(self, why: _Why) -> None:
        if self._first_word is not None and self.stopped is None:
            self.stopped = why
            self.task.cancel()
