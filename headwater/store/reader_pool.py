"""Queries to the store, run beside the event loop: in processes of their own, the readers.

    event loop ──► query, pickled  ──► reader ──► SQLite
               ◄── result, pickled ◄──

A thread would need Python's lock for every step, each time half a millisecond after it asked for it,
and the event loop would stand still meanwhile. What a query needs of the state goes with it; the log
and the tables go by name, as each reader has its own.
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
from headwater.store.shared_memory import HEADER_BYTES, Header, SharedBuffer, create_buffer

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

# Each runs one query at a time, so that a short one never stands behind a long one. The others
# are started when the first one is not enough.
_MOST_READERS = 3

_MOST_ATTEMPTS = 3
_RESTART_PAUSE_SECONDS = 1.0  # before another reader, where the last one never returned a result
_END_SECONDS = 5.0
_CANCEL_GRACE_SECONDS = 1.0  # most results come sooner, and starting a reader costs a tenth of that


class StoreRef(NamedTuple):
    """Stands for the log or the tables, or a method of theirs, in a message to a reader, which has its own."""

    name: str
    method: str | None = None

    def resolve(self, store: Mapping[str, object]) -> Any:
        part = store[self.name]
        return part if self.method is None else getattr(part, self.method)


class QueryRunner(Protocol):
    def is_free(self) -> bool:
        """Whether a query would start at once, and without needing Python's lock in this process."""

    async def run(self, query: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T: ...
    async def close(self) -> None: ...


class ThreadRunner:
    """For one process: it starts no readers, and a query may be any callable."""

    def is_free(self) -> bool:
        return False

    async def run(self, query: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(query, *args, **kwargs)

    async def close(self) -> None:
        pass


@dataclass(eq=False)
class _Query:
    message: tuple[object, ...]
    result: "asyncio.Future[Any]" = field(repr=False)
    attempts: int = 0


class ReaderPool:
    """Queries are functions of modules, or methods of the log and the tables."""

    def __init__(self, data: Path, log: object, tables: object) -> None:
        self._data, self._names = data, {id(log): "log", id(tables): "tables"}
        self._queue: deque[_Query] = deque()
        self._readers: list[_Reader] = []
        self._closing = asyncio.Event()
        self._starting: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        await self._warn_if_failing(self._start_reader())

    async def run(self, query: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        queued = _Query(self._message(query, args, kwargs), loop.create_future())
        self._queue.append(queued)
        self._hand_out()
        try:
            return await queued.result  # type: ignore[no-any-return]
        except asyncio.CancelledError:
            loop.call_later(_CANCEL_GRACE_SECONDS, self._abandon, queued)
            raise

    def _abandon(self, query: "_Query") -> None:
        """Nobody waits for it any more. A reader that still works on it is ended, and another one started."""
        for reader in self._readers:
            if reader.query is query:
                reader.process.kill()

    def is_free(self) -> bool:
        if not self._queue and any(reader.query is None for reader in self._readers):
            return True
        self._start_another()
        return False

    def _start_another(self) -> None:
        if len(self._readers) + len(self._starting) < _MOST_READERS and not self._closing.is_set():
            self._in_background(self._start_reader())

    def _in_background(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(self._warn_if_failing(work))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    def _message(
        self, query: Callable[..., object], args: Sequence[object], kwargs: dict[str, object]
    ) -> tuple[object, ...]:
        owner = self._names.get(id(getattr(query, "__self__", None)))
        sent = query if owner is None else StoreRef(owner, query.__name__)
        return sent, [self._by_name(arg) for arg in args], kwargs

    def _by_name(self, arg: object) -> object:
        name = self._names.get(id(arg))
        return arg if name is None else StoreRef(name)

    async def _warn_if_failing(self, work: Coroutine[None, None, None]) -> None:
        """Whatever keeps a reader from starting, the next query tries again."""
        try:
            await work
        except OSError as e:
            logger.warning("cannot start a reader process: %s; will try again with the next query", e)

    def _hand_out(self) -> None:
        while self._queue:
            reader = next((reader for reader in self._readers if reader.query is None), None)
            if reader is None:
                self._start_another()
                return
            query = self._queue.popleft()
            if query.result.done():  # cancelled while it waited
                continue
            try:
                reader.send(query)
            except Exception as e:  # it cannot be pickled
                query.result.set_exception(e)

    async def _start_reader(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs, ExitStack() as unless_started, ExitStack() as here:
            unless_started.callback(ours.close)
            fd = create_buffer()
            here.callback(os.close, fd)
            fds = [theirs.fileno(), fd]
            command = [sys.executable, "-m", "headwater.store.reader", *map(str, fds), str(self._data)]
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=fds)  # noqa: S603
            buffer = SharedBuffer(fd)
            unless_started.pop_all()
        reader = _Reader(process, buffer, self._hand_out, self._ended)
        await asyncio.get_running_loop().create_connection(lambda: reader, sock=ours)
        self._readers.append(reader)
        self._hand_out()

    def _ended(self, reader: "_Reader") -> None:
        """Its query goes to another reader, unless it was the query that ended it."""
        if reader in self._readers:
            self._readers.remove(reader)
        query = reader.query
        if query is not None:
            query.attempts += 1
            if query.attempts < _MOST_ATTEMPTS and not self._closing.is_set() and not query.result.done():
                self._queue.appendleft(query)
            elif not query.result.done():
                query.result.set_exception(StoreUnavailable("the reader process ended"))
        if not self._closing.is_set():
            self._in_background(self._replace(reader))

    async def _replace(self, reader: "_Reader") -> None:
        code = await asyncio.to_thread(_exit_code, reader.process)
        logger.warning("a reader process ended with exit code %d; starting another one", code)
        if not reader.has_returned:
            with suppress(TimeoutError):
                async with asyncio.timeout(_RESTART_PAUSE_SECONDS):
                    await self._closing.wait()
        if not self._closing.is_set():
            await self._start_reader()

    async def close(self) -> None:
        self._closing.set()
        await asyncio.gather(*self._starting)
        readers, self._readers = self._readers, []
        for reader in readers:
            reader.close()
        for reader in readers:
            await asyncio.to_thread(_exit_code, reader.process)


def _exit_code(process: "subprocess.Popen[bytes]") -> int:
    """A reader ends by itself after its last result, once its socket is closed; if not, it is killed."""
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
        buffer: SharedBuffer,
        on_result: Callable[[], None],
        on_end: Callable[["_Reader"], None],
    ) -> None:
        self.process, self._buffer, self.has_returned = process, buffer, False
        self.query: _Query | None = None  # the one it is working on
        self._on_result, self._on_end = on_result, on_end
        self._received = bytearray()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)

    def send(self, query: _Query) -> None:
        assert self._transport is not None
        self._transport.write(self._buffer.write(query.message))
        self.query = query

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        self._received += data
        if len(self._received) < HEADER_BYTES:
            return
        header = Header.decode(self._received[:HEADER_BYTES])
        if len(self._received) < HEADER_BYTES + header.following:
            return
        message, self._received = self._received, bytearray()
        query, self.query, self.has_returned = self.query, None, True
        if query is not None and not query.result.done():
            failed, result = self._buffer.read(header, memoryview(message)[HEADER_BYTES:])
            if failed:
                query.result.set_exception(result)
            else:
                query.result.set_result(result)
        self._on_result()

    def connection_lost(self, exc: Exception | None) -> None:
        self._buffer.close()
        self._on_end(self)
