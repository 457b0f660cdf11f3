"""`Client` and `AsyncClient`: the same methods, blocking and for asyncio."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from headwater.client.event_batches import Event, Pause, Progress, send_in_batches
from headwater.client.live_stream import LIVE, LiveStream
from headwater.client.methods import ClientMethods
from headwater.client.request import Answer, Item, Page, Pages, Request, answer_of, raise_for_status
from headwater.defaults import DEFAULT_URL
from headwater.errors import HeadwaterError, ServerFailed
from headwater.shapes.live import LiveChange, LiveResync

T = TypeVar("T")

_CONNECTION_ERRORS = (httpx.TransportError, httpx.UnsupportedProtocol, httpx.InvalidURL)


class Client(ClientMethods):
    """A blocking client of one server.

    >>> with Client() as client:
    ...     client.impact("datasetField:s3://warehouse:orders:price")
    """

    def __init__(self, url: str = DEFAULT_URL, *, timeout: float = 60.0) -> None:
        super().__init__(url, timeout)
        self._http = httpx.Client(**self._http_options())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def ask(self, request: Request[T]) -> Answer[T]:
        """The answer: `body` is the server's JSON as it was received, `value` decodes it."""
        try:
            response = self._http.request(**request.arguments(self.position))
        except _CONNECTION_ERRORS as e:
            raise self._unreachable(e) from None
        return self._remember_position(answer_of(request, response))

    def _value(self, request: Request[T]) -> T:
        return self.ask(request).value

    def _items(self, pages: Pages[Page, Item]) -> Iterator[Item]:
        offset = 0
        while items := pages.items(self._value(pages.page(offset))):
            yield from items
            offset += len(items)

    def send(
        self, events: Event | Iterable[Event], *, patience: float = 30.0, progress: Progress | None = None
    ) -> int | None:
        """Send one event or many. Returns the position of the last one.

        While the server is away or its disk is full, tries again for `patience` seconds. Raises
        EventsRefused when the server refuses some; the others are stored. `progress` is called
        with the number of events done so far.
        """
        steps = send_in_batches(events, patience, progress)
        outcome: Answer[Any] | HeadwaterError | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as done:
                position: int | None = done.value
                return position
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                outcome = None
                continue
            try:
                outcome = self.ask(step)
            except HeadwaterError as e:
                outcome = e

    @contextmanager
    def live(
        self, *, after: int | None = None, namespace: str | None = None, node_id: str | None = None
    ) -> Iterator[Iterator[LiveChange | LiveResync]]:
        """Live updates without end, from the moment that the `with` block is entered.

        Reconnects when the connection is lost, and resumes where it was. A LiveResync stands for
        updates that the server no longer has.

        Parameters
        ----------
        after
            Start after this position, if the server still has the updates since.
        namespace, node_id
            Only updates about this namespace, or about the graph around this node.
        """
        stream = LiveStream(after, {"namespace": namespace, "nodeId": node_id})
        with ExitStack() as connection:
            try:
                first = connection.enter_context(self._listen(stream))
            except _CONNECTION_ERRORS as e:
                raise self._unreachable(e) from None
            yield self._updates(stream, first, connection)

    @contextmanager
    def _listen(self, stream: LiveStream) -> Iterator[httpx.Response]:
        with self._http.stream("GET", LIVE, **stream.arguments()) as response:
            if not response.is_success:
                response.read()
            raise_for_status(response)
            yield response

    def _updates(
        self, stream: LiveStream, response: httpx.Response, connection: ExitStack
    ) -> Iterator[LiveChange | LiveResync]:
        while True:
            try:
                for chunk in response.iter_bytes():
                    yield from stream.feed(chunk)
            except _CONNECTION_ERRORS:
                pass
            connection.close()
            while True:
                time.sleep(stream.next_pause())
                try:
                    response = connection.enter_context(self._listen(stream))
                except (*_CONNECTION_ERRORS, ServerFailed):
                    continue
                break


class AsyncClient(ClientMethods):
    """The same for asyncio.

    >>> async with AsyncClient() as client:
    ...     await client.impact("datasetField:s3://warehouse:orders:price")
    """

    def __init__(self, url: str = DEFAULT_URL, *, timeout: float = 60.0) -> None:
        super().__init__(url, timeout)
        self._http = httpx.AsyncClient(**self._http_options())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def ask(self, request: Request[T]) -> Answer[T]:
        """The answer: `body` is the server's JSON as it was received, `value` decodes it."""
        try:
            response = await self._http.request(**request.arguments(self.position))
        except _CONNECTION_ERRORS as e:
            raise self._unreachable(e) from None
        return self._remember_position(answer_of(request, response))

    async def _value(self, request: Request[T]) -> T:
        return (await self.ask(request)).value

    async def _items(self, pages: Pages[Page, Item]) -> AsyncIterator[Item]:
        offset = 0
        while items := pages.items(await self._value(pages.page(offset))):
            for item in items:
                yield item
            offset += len(items)

    async def send(
        self, events: Event | Iterable[Event], *, patience: float = 30.0, progress: Progress | None = None
    ) -> int | None:
        """As `Client.send`."""
        steps = send_in_batches(events, patience, progress)
        outcome: Answer[Any] | HeadwaterError | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as done:
                position: int | None = done.value
                return position
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                outcome = None
                continue
            try:
                outcome = await self.ask(step)
            except HeadwaterError as e:
                outcome = e

    @asynccontextmanager
    async def live(
        self, *, after: int | None = None, namespace: str | None = None, node_id: str | None = None
    ) -> AsyncIterator[AsyncIterator[LiveChange | LiveResync]]:
        """As `Client.live`."""
        stream = LiveStream(after, {"namespace": namespace, "nodeId": node_id})
        async with AsyncExitStack() as connection:
            try:
                first = await connection.enter_async_context(self._listen(stream))
            except _CONNECTION_ERRORS as e:
                raise self._unreachable(e) from None
            updates = self._updates(stream, first, connection)
            try:
                yield updates
            finally:
                await updates.aclose()

    @asynccontextmanager
    async def _listen(self, stream: LiveStream) -> AsyncIterator[httpx.Response]:
        async with self._http.stream("GET", LIVE, **stream.arguments()) as response:
            if not response.is_success:
                await response.aread()
            raise_for_status(response)
            yield response

    async def _updates(
        self, stream: LiveStream, response: httpx.Response, connection: AsyncExitStack
    ) -> AsyncGenerator[LiveChange | LiveResync, None]:
        while True:
            try:
                async for chunk in response.aiter_bytes():
                    for update in stream.feed(chunk):
                        yield update
            except _CONNECTION_ERRORS:
                pass
            await connection.aclose()
            while True:
                await asyncio.sleep(stream.next_pause())
                try:
                    response = await connection.enter_async_context(self._listen(stream))
                except (*_CONNECTION_ERRORS, ServerFailed):
                    continue
                break
