"""Questions to the store, answered beside the event loop: in processes of their own.

    event loop ──► question, pickled ──► reader ──► SQLite
               ◄── answer, pickled ◄────

A thread would have to get Python's lock for every step of its own, each time half a millisecond
after it asked for it, and the event loop would stand still meanwhile. What a question needs of
the state goes with it; the log and the tables go by name, and are the reader's own over there.
"""

import asyncio
import logging
import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, Protocol, TypeVar, cast

from headwater.errors import StoreUnavailable
from headwater.store.shared_memory import HEADER_BYTES, Header, Room, make_room

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

# Each has one question at a time, so that a short one never stands behind a long one. The others
# are started when the first one is not enough.
_MOST_READERS = 3

_MOST_ATTEMPTS = 3
_PAUSE_SECONDS = 1.0  # before another reader, where the last one answered nothing
_END_SECONDS = 5.0
_LEAVING_SECONDS = 1.0  # most answers come sooner, and starting a reader costs a tenth of that


class Named(NamedTuple):
    """The log or the tables, or a method of theirs, on the way to a process that has its own."""

    name: str
    method: str | None = None

    def found(self, store: Mapping[str, object]) -> Any:
        thing = store[self.name]
        return thing if self.method is None else getattr(thing, self.method)


class Asker(Protocol):
    def is_free(self) -> bool:
        """Whether a question would be looked at at once, by somebody who does not need Python's lock here."""

    async def ask(self, question: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T: ...
    async def close(self) -> None: ...


class InThreads:
    """For one process: no reader need be started, and questions may be any callable."""

    def is_free(self) -> bool:
        return False

    async def ask(self, question: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(question, *args, **kwargs)

    async def close(self) -> None:
        pass


@dataclass(eq=False)
class _Question:
    message: tuple[object, ...]
    done: "asyncio.Future[Any]" = field(repr=False)
    attempts: int = 0


class InProcesses:
    """Questions are functions of modules or methods of the log and the tables."""

    def __init__(self, data: Path, log: object, tables: object) -> None:
        self._data, self._names = data, {id(log): "log", id(tables): "tables"}
        self._waiting: deque[_Question] = deque()
        self._readers: list[_Reader] = []
        self._closing = asyncio.Event()
        self._starting: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        await self._try(self._start_one())

    async def ask(self, question: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        asked = _Question(self._message(question, args, kwargs), loop.create_future())
        self._waiting.append(asked)
        self._hand_out()
        try:
            return await asked.done  # type: ignore[no-any-return]
        except asyncio.CancelledError:
            loop.call_later(_LEAVING_SECONDS, self._give_up, asked)
            raise

    def _give_up(self, question: "_Question") -> None:
        """Whoever asked left, and a reader still works on it: it is ended, and another one started."""
        for reader in self._readers:
            if reader.asked is question:
                reader.process.kill()

    def is_free(self) -> bool:
        if not self._waiting and any(reader.asked is None for reader in self._readers):
            return True
        self._start_another()
        return False

    def _start_another(self) -> None:
        if len(self._readers) + len(self._starting) < _MOST_READERS and not self._closing.is_set():
            self._in_background(self._start_one())

    def _in_background(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(self._try(work))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    def _message(
        self, question: Callable[..., object], args: Sequence[object], kwargs: dict[str, object]
    ) -> tuple[object, ...]:
        owner = self._names.get(id(getattr(question, "__self__", None)))
        named = question if owner is None else Named(owner, question.__name__)
        return named, [self._named(one) for one in args], kwargs

    def _named(self, thing: object) -> object:
        name = self._names.get(id(thing))
        return thing if name is None else Named(name)

    async def _try(self, work: Coroutine[None, None, None]) -> None:
        """Whatever keeps a reader from starting, the next question tries it again."""
        try:
            await work
        except OSError as e:
            logger.warning("no process can be started to read the store: %s", e)

    def _hand_out(self) -> None:
        while self._waiting:
            reader = next((reader for reader in self._readers if reader.asked is None), None)
            if reader is None:
                self._start_another()
                return
            question = self._waiting.popleft()
            if question.done.done():  # whoever asked may have left
                continue
            try:
                reader.ask(question)
            except Exception as e:  # it cannot be pickled
                question.done.set_exception(e)

    async def _start_one(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs, ExitStack() as unless_started, ExitStack() as here:
            unless_started.callback(ours.close)
            fd = make_room()
            here.callback(os.close, fd)
            fds = [theirs.fileno(), fd]
            command = [sys.executable, "-m", "headwater.store.reader", *map(str, fds), str(self._data)]
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=fds)  # noqa: S603
            room = Room(fd)
            unless_started.pop_all()
        reader = _Reader(process, room, self._hand_out, self._ended)
        await asyncio.get_running_loop().create_connection(lambda: reader, sock=ours)
        self._readers.append(reader)
        self._hand_out()

    def _ended(self, reader: "_Reader") -> None:
        """Its question goes to another one, unless it was the question that ended it."""
        if reader in self._readers:
            self._readers.remove(reader)
        question = reader.asked
        if question is not None:
            question.attempts += 1
            if question.attempts < _MOST_ATTEMPTS and not self._closing.is_set() and not question.done.done():
                self._waiting.appendleft(question)
            elif not question.done.done():
                question.done.set_exception(StoreUnavailable("the process that reads the store ended"))
        if not self._closing.is_set():
            self._in_background(self._replace(reader))

    async def _replace(self, reader: "_Reader") -> None:
        code = await asyncio.to_thread(_end, reader.process)
        logger.warning("a process that reads the store ended with %d, another one is started", code)
        if not reader.has_answered:
            with suppress(TimeoutError):
                async with asyncio.timeout(_PAUSE_SECONDS):
                    await self._closing.wait()
        if not self._closing.is_set():
            await self._start_one()

    async def close(self) -> None:
        self._closing.set()
        await asyncio.gather(*self._starting)
        readers, self._readers = self._readers, []
        for reader in readers:
            reader.close()
        for reader in readers:
            await asyncio.to_thread(_end, reader.process)


def _end(process: "subprocess.Popen[bytes]") -> int:
    """It ends by itself when nobody can ask it any more, after its last answer."""
    try:
        return process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


class _Reader(asyncio.Protocol):
    """The connection to one reader."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        room: Room,
        answered: Callable[[], None],
        ended: Callable[["_Reader"], None],
    ) -> None:
        self.process, self._room, self.has_answered = process, room, False
        self.asked: _Question | None = None
        self._answered, self._ended = answered, ended
        self._came = bytearray()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)

    def ask(self, question: _Question) -> None:
        assert self._transport is not None
        self._transport.write(self._room.put(question.message))
        self.asked = question

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        self._came += data
        if len(self._came) < HEADER_BYTES:
            return
        header = Header.read(self._came[:HEADER_BYTES])
        if len(self._came) < HEADER_BYTES + header.following:
            return
        message, self._came = self._came, bytearray()
        question, self.asked, self.has_answered = self.asked, None, True
        if question is not None and not question.done.done():
            failed, found = self._room.take(header, memoryview(message)[HEADER_BYTES:])
            if failed:
                question.done.set_exception(found)
            else:
                question.done.set_result(found)
        self._answered()

    def connection_lost(self, exc: Exception | None) -> None:
        self._room.close()
        self._ended(self)
