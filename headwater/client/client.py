"""`Client` and `AsyncClient`: the same questions, asked in two ways."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from types import TracebackType
from typing import Any, Generic, ParamSpec, Self, TypeVar, overload

import httpx

from headwater.client import calls, catalogue
from headwater.client import connectors as connect
from headwater.client.call import Answer, Call, answer_of, answered
from headwater.client.pages import Item, Page, Pages
from headwater.client.sending import Event, Pause, Told, sending
from headwater.client.stream import LIVE, Stream
from headwater.errors import HeadwaterError, ServerFailed, Unreachable
from headwater.shapes.live import LiveChange, LiveResync

P = ParamSpec("P")
T = TypeVar("T")

URL = "http://127.0.0.1:5000"
_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")


class _Asks(Generic[P, T]):
    """A question as a method of both clients."""

    def __init__(self, describe: Callable[P, Call[T]]) -> None:
        self._describe = describe

    @overload
    def __get__(self, client: None, owner: type) -> Callable[P, Call[T]]: ...
    @overload
    def __get__(self, client: "Client", owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: "AsyncClient", owner: type) -> Callable[P, Awaitable[T]]: ...
    def __get__(self, client: Any, owner: type) -> Any:
        if client is None:
            return self._describe
        return lambda *args, **kwargs: client._value(self._describe(*args, **kwargs))


class _Lists(Generic[P, Page, Item]):
    """A list as a method of both clients, which gives its items from all pages."""

    def __init__(self, describe: Callable[P, Pages[Page, Item]]) -> None:
        self._describe = describe

    @overload
    def __get__(self, client: None, owner: type) -> Callable[P, Pages[Page, Item]]: ...
    @overload
    def __get__(self, client: "Client", owner: type) -> Callable[P, Iterator[Item]]: ...
    @overload
    def __get__(self, client: "AsyncClient", owner: type) -> Callable[P, AsyncIterator[Item]]: ...
    def __get__(self, client: Any, owner: type) -> Any:
        if client is None:
            return self._describe
        return lambda *args, **kwargs: client._items(self._describe(*args, **kwargs))


class _Questions:
    healthz = _Asks(calls.healthz)

    lineage = _Asks(calls.lineage)
    column_lineage = _Asks(calls.column_lineage)
    path = _Asks(calls.path_between)
    impact = _Asks(calls.impact)
    why = _Asks(calls.why)
    diff = _Asks(calls.diff)
    freshness = _Asks(calls.freshness)
    gaps = _Asks(calls.gaps)
    run_lineage = _Asks(calls.run_lineage)
    search = _Asks(calls.search)

    namespaces = _Lists(catalogue.namespaces)
    namespace = _Asks(catalogue.namespace)
    jobs = _Lists(catalogue.jobs)
    job = _Asks(catalogue.job)
    job_versions = _Lists(catalogue.job_versions)
    job_version = _Asks(catalogue.job_version)
    datasets = _Lists(catalogue.datasets)
    dataset = _Asks(catalogue.dataset)
    versions = _Lists(catalogue.versions)
    version = _Asks(catalogue.version)
    runs = _Lists(catalogue.runs)
    run = _Asks(catalogue.run)
    run_facets = _Asks(catalogue.run_facets)
    sources = _Lists(catalogue.sources)
    source = _Asks(catalogue.source)
    tags = _Lists(catalogue.tags)
    event_counts = _Asks(catalogue.event_counts)
    counts = _Asks(catalogue.counts)
    events = _Lists(calls.events)

    put_namespace = _Asks(catalogue.put_namespace)
    delete_namespace = _Asks(catalogue.delete_namespace)
    put_dataset = _Asks(catalogue.put_dataset)
    delete_dataset = _Asks(catalogue.delete_dataset)
    tag_dataset = _Asks(catalogue.tag_dataset)
    untag_dataset = _Asks(catalogue.untag_dataset)
    put_job = _Asks(catalogue.put_job)
    delete_job = _Asks(catalogue.delete_job)
    tag_job = _Asks(catalogue.tag_job)
    untag_job = _Asks(catalogue.untag_job)
    create_run = _Asks(catalogue.create_run)
    mark_run = _Asks(catalogue.mark_run)
    put_source = _Asks(catalogue.put_source)
    put_tag = _Asks(catalogue.put_tag)

    connect_clusters = _Asks(connect.clusters)
    connectors = _Asks(connect.connectors)
    connector = _Asks(connect.connector)
    connector_plugins = _Asks(connect.plugins)
    validate_connector = _Asks(connect.validate)
    create_connector = _Asks(connect.create)
    configure_connector = _Asks(connect.configure)
    change_connector = _Asks(connect.change)
    restart_task = _Asks(connect.restart_task)
    delete_connector = _Asks(connect.delete)

    def __init__(self, url: str, timeout: float) -> None:
        self.url = url.rstrip("/")
        self.position: int | None = None
        """Where the last thing that this client wrote stands in the log; answers know all up to there."""
        self._timeout = timeout

    def _settings(self) -> dict[str, Any]:
        # A server on this machine is behind no proxy, whatever the environment says.
        try:
            host = httpx.URL(self.url).host
        except httpx.InvalidURL as e:
            raise self._unreachable(e) from None
        return {"base_url": self.url, "timeout": self._timeout, "trust_env": host not in _THIS_MACHINE}

    def _noted(self, answer: Answer[T]) -> Answer[T]:
        if answer.position is not None:
            self.position = max(self.position or 0, answer.position)
        return answer

    def _unreachable(self, error: Exception) -> Unreachable:
        reason = str(error) or type(error).__name__
        return Unreachable(f"no server at {self.url} ({reason}). Start one with `headwater serve`, or say where it is.")


_LOST = (httpx.TransportError, httpx.UnsupportedProtocol, httpx.InvalidURL)


class Client(_Questions):
    """Asks a server, and waits for its answers.

    >>> with Client() as client:
    ...     client.impact("datasetField:s3://warehouse:orders:price")
    """

    def __init__(self, url: str = URL, *, timeout: float = 60.0) -> None:
        super().__init__(url, timeout)
        self._http = httpx.Client(**self._settings())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def ask(self, call: Call[T]) -> Answer[T]:
        """The answer as it came: `body` is the server's JSON, `value` what it says."""
        try:
            response = self._http.request(**call.arguments(self.position))
        except _LOST as e:
            raise self._unreachable(e) from None
        return self._noted(answer_of(call, response))

    def _value(self, call: Call[T]) -> T:
        return self.ask(call).value

    def _items(self, pages: Pages[Page, Item]) -> Iterator[Item]:
        offset = 0
        while items := pages.items(self._value(pages.page(offset))):
            yield from items
            offset += len(items)

    def send(self, events: Event | Iterable[Event], *, patience: float = 30.0, told: Told | None = None) -> int | None:
        """Send one event or many. Returns the position of the last one.

        While the server is away or its disk is full, tries again for `patience` seconds. Raises
        EventsRefused when the server refuses some; the others are in. `told` is called with the
        number of events that are dealt with.
        """
        work = sending(events, patience, told)
        outcome: Answer[Any] | HeadwaterError | None = None
        while True:
            try:
                step = work.send(outcome)
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
        """What changes, as it happens, for ever; from the moment that the `with` is entered.

        Connects again by itself when the connection is lost, and goes on where it was. What cannot
        be told any more, as the server was away too long, is a LiveResync.

        Parameters
        ----------
        after
            Begin behind this position, if the server still has the changes since.
        namespace, node_id
            Only what concerns this namespace, or the graph around this node.
        """
        stream = Stream(after, {"namespace": namespace, "nodeId": node_id})
        with ExitStack() as connection:
            try:
                first = connection.enter_context(self._listen(stream))
            except _LOST as e:
                raise self._unreachable(e) from None
            yield self._changes(stream, first, connection)

    @contextmanager
    def _listen(self, stream: Stream) -> Iterator[httpx.Response]:
        with self._http.stream("GET", LIVE, **stream.arguments()) as response:
            if not response.is_success:
                response.read()
            yield answered(response)

    def _changes(
        self, stream: Stream, response: httpx.Response, connection: ExitStack
    ) -> Iterator[LiveChange | LiveResync]:
        while True:
            try:
                for chunk in response.iter_bytes():
                    yield from stream.feed(chunk)
            except _LOST:
                pass
            connection.close()
            while True:
                time.sleep(stream.next_pause())
                try:
                    response = connection.enter_context(self._listen(stream))
                except (*_LOST, ServerFailed):
                    continue
                break


class AsyncClient(_Questions):
    """The same for asyncio.

    >>> async with AsyncClient() as client:
    ...     await client.impact("datasetField:s3://warehouse:orders:price")
    """

    def __init__(self, url: str = URL, *, timeout: float = 60.0) -> None:
        super().__init__(url, timeout)
        self._http = httpx.AsyncClient(**self._settings())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def ask(self, call: Call[T]) -> Answer[T]:
        """The answer as it came: `body` is the server's JSON, `value` what it says."""
        try:
            response = await self._http.request(**call.arguments(self.position))
        except _LOST as e:
            raise self._unreachable(e) from None
        return self._noted(answer_of(call, response))

    async def _value(self, call: Call[T]) -> T:
        return (await self.ask(call)).value

    async def _items(self, pages: Pages[Page, Item]) -> AsyncIterator[Item]:
        offset = 0
        while items := pages.items(await self._value(pages.page(offset))):
            for item in items:
                yield item
            offset += len(items)

    async def send(
        self, events: Event | Iterable[Event], *, patience: float = 30.0, told: Told | None = None
    ) -> int | None:
        """As `Client.send`."""
        work = sending(events, patience, told)
        outcome: Answer[Any] | HeadwaterError | None = None
        while True:
            try:
                step = work.send(outcome)
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
        stream = Stream(after, {"namespace": namespace, "nodeId": node_id})
        async with AsyncExitStack() as connection:
            try:
                first = await connection.enter_async_context(self._listen(stream))
            except _LOST as e:
                raise self._unreachable(e) from None
            changes = self._changes(stream, first, connection)
            try:
                yield changes
            finally:
                await changes.aclose()

    @asynccontextmanager
    async def _listen(self, stream: Stream) -> AsyncIterator[httpx.Response]:
        async with self._http.stream("GET", LIVE, **stream.arguments()) as response:
            if not response.is_success:
                await response.aread()
            yield answered(response)

    async def _changes(
        self, stream: Stream, response: httpx.Response, connection: AsyncExitStack
    ) -> AsyncGenerator[LiveChange | LiveResync, None]:
        while True:
            try:
                async for chunk in response.aiter_bytes():
                    for message in stream.feed(chunk):
                        yield message
            except _LOST:
                pass
            await connection.aclose()
            while True:
                await asyncio.sleep(stream.next_pause())
                try:
                    response = await connection.enter_async_context(self._listen(stream))
                except (*_LOST, ServerFailed):
                    continue
                break
