"""Connect's REST API: what is asked, and what can go wrong with it."""

from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import httpx
import msgspec
from msgspec import Raw

T = TypeVar("T")

REBALANCING = "Connect is rebalancing (409)"

# Connect itself gives up on a request after 90 s; by then other polls have long said more.
TIMEOUT = 10.0


class Task(msgspec.Struct, frozen=True, gc=False):
    id: int
    state: str
    worker_id: str = ""
    trace: str = ""


class State(msgspec.Struct, frozen=True, gc=False):
    state: str
    worker_id: str = ""
    trace: str = ""


class Status(msgspec.Struct, frozen=True, gc=False):
    connector: State
    tasks: tuple[Task, ...] = ()
    type: str = "unknown"

    def workers(self) -> set[str]:
        return {self.connector.worker_id, *(task.worker_id for task in self.tasks)} - {""}


class Info(msgspec.Struct, frozen=True, gc=False):
    """The configuration stays as it came until somebody looks into it."""

    config: Raw
    type: str | None = None


class Entry(msgspec.Struct, frozen=True, gc=False):
    status: Status
    info: Info


class Cluster(msgspec.Struct, frozen=True):
    version: str = ""
    kafka_cluster_id: str = ""


class _Topics(msgspec.Struct):
    topics: tuple[str, ...]


class Trouble(Exception):
    """No answer that can be used. `refused`: nobody listens there, the process is gone. `apart`: no connection at all,
    for another reason. `status`: what it answered, if it did."""

    def __init__(self, text: str, *, refused: bool = False, apart: bool = False, status: int | None = None) -> None:
        super().__init__(text)
        self.refused, self.apart, self.status = refused, apart, status

    @property
    def gone(self) -> bool:
        """What was asked for is not there."""
        return self.status == 404


class Connect:
    """Asks at one address first, and then at the workers that are known, as any of them can answer."""

    def __init__(self, url: str, timeout: float = TIMEOUT) -> None:
        self.url = url.rstrip("/")
        self._scheme = urlsplit(url).scheme or "http"
        limits = httpx.Limits(max_connections=16, max_keepalive_connections=16)
        local = urlsplit(url).hostname in ("127.0.0.1", "::1", "localhost")
        self._http = httpx.AsyncClient(timeout=timeout, limits=limits, trust_env=not local)
        self.workers: set[str] = set()
        """Those that answered under their own address."""

    async def close(self) -> None:
        await self._http.aclose()

    async def cluster(self) -> Cluster:
        return await self._anywhere("/", Cluster)

    async def connectors(self) -> Mapping[str, Entry]:
        told = await self._anywhere("/connectors?expand=status&expand=info", dict[str, dict[str, Raw]])
        # One that is being made or deleted may have only half of it.
        found = {}
        for name, parts in told.items():
            if "status" in parts and "info" in parts:
                try:
                    status = msgspec.json.decode(parts["status"], type=Status)
                    found[name] = Entry(status, msgspec.json.decode(parts["info"], type=Info))
                except msgspec.MsgspecError as e:
                    raise Trouble(f"Connect's answer about {name} is not understood: {e}") from None
        return found

    async def names(self) -> set[str]:
        return set(await self._anywhere("/connectors", list[str]))

    async def topics(self, name: str) -> frozenset[str]:
        told = await self._anywhere(f"/connectors/{quote(name, safe='')}/topics", dict[str, _Topics])
        return frozenset(topic for one in told.values() for topic in one.topics)

    async def call(self, method: str, path: str, body: Any = None) -> bytes:
        """Whatever it answers. Only at one address: what changes something must not be tried twice."""
        return (await self._answer(method, self.url + path, body)).content

    async def probe(self, worker: str) -> None:
        """Trouble unless the worker answers under its own address."""
        await self._get(f"{self._scheme}://{worker}/", Cluster)
        self.workers.add(worker)

    async def _anywhere(self, path: str, shape: type[T]) -> T:
        try:
            return await self._get(self.url + path, shape)
        except Trouble as e:
            if e.gone:
                raise
            first = e
        for worker in sorted(self.workers):
            base = f"{self._scheme}://{worker}"
            if base != self.url:
                try:
                    return await self._get(base + path, shape)
                except Trouble as e:
                    if e.gone:
                        raise
        raise first

    async def _get(self, url: str, shape: type[T]) -> T:
        return read((await self._answer("GET", url)).content, shape, url)

    async def _answer(self, method: str, url: str, body: Any = None) -> httpx.Response:
        try:
            response = await self._http.request(method, url, json=body)
        except (httpx.ConnectError, httpx.ConnectTimeout) as e:
            text = f"nobody answers at {bare(url)} ({str(e) or type(e).__name__})"
            refused = _refused(e)
            raise Trouble(text, refused=refused, apart=not refused) from None
        except httpx.HTTPError as e:
            raise Trouble(f"{bare(url)} gave no answer: {str(e) or type(e).__name__}") from None
        if not response.is_success:
            text = _said(response)
            raise Trouble(text, status=409 if text == REBALANCING else response.status_code)
        return response


def read(content: bytes, shape: type[T], url: str) -> T:
    try:
        return msgspec.json.decode(content, type=shape)
    except msgspec.MsgspecError:
        raise Trouble(f"{bare(url)} does not answer like Kafka Connect; is it the right address?") from None


class _Error(msgspec.Struct):
    """As Connect says what it does not do."""

    error_code: int
    message: str


def _said(response: httpx.Response) -> str:
    status, where = response.status_code, bare(str(response.url))
    try:
        told = msgspec.json.decode(response.content, type=_Error).message
    except msgspec.MsgspecError:
        told = ""
    # It also says it with a 500.
    if (status == 409 and "already exists" not in told) or "a rebalance is expected" in told:
        return REBALANCING
    if status in (401, 403):
        return f"{where} wants other credentials ({status}); put them into the URL: http://user:password@host:port"
    if told and status < 500:
        return told
    return f"{where} answered {status}: {told or response.text[:200].strip() or response.reason_phrase}"


def bare(url: str) -> str:
    """Without a password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _refused(error: BaseException | None) -> bool:
    """Whether the machine itself said that nobody listens there. Silence, or no way there, may be anything."""
    while error is not None:
        if isinstance(error, BaseExceptionGroup):  # a name with several addresses
            return all(_refused(one) for one in error.exceptions)
        if isinstance(error, ConnectionRefusedError):
            return True
        error = error.__cause__ or error.__context__
    return False
