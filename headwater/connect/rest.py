"""A client of Kafka Connect's REST API."""

from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import httpx
import msgspec
from msgspec import Raw

T = TypeVar("T")

REBALANCING = "Connect is rebalancing (409)"

# Connect itself gives up on a request after 90 s; the next poll should not wait that long.
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
    """The configuration is decoded only where it is needed."""

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


class ConnectRestError(Exception):
    """No usable response. `refused`: nothing listens at the address, the process is gone. `unreachable`: no connection
    for another reason. `status`: of the response, if there was one."""

    def __init__(
        self, text: str, *, refused: bool = False, unreachable: bool = False, status: int | None = None
    ) -> None:
        super().__init__(text)
        self.refused, self.unreachable, self.status = refused, unreachable, status

    @property
    def not_found(self) -> bool:
        return self.status == 404


class Connect:
    """Asks one address first, and then the workers that are known, as any of them can answer."""

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
        content = await self._anywhere("/connectors?expand=status&expand=info", dict[str, dict[str, Raw]])
        # A connector that is being created or deleted may have only one part.
        entries = {}
        for name, parts in content.items():
            if "status" in parts and "info" in parts:
                try:
                    status = msgspec.json.decode(parts["status"], type=Status)
                    entries[name] = Entry(status, msgspec.json.decode(parts["info"], type=Info))
                except msgspec.MsgspecError as e:
                    raise ConnectRestError(f"Connect's description of {name} is invalid: {e}") from None
        return entries

    async def names(self) -> set[str]:
        return set(await self._anywhere("/connectors", list[str]))

    async def topics(self, name: str) -> frozenset[str]:
        content = await self._anywhere(f"/connectors/{quote(name, safe='')}/topics", dict[str, _Topics])
        return frozenset(topic for used in content.values() for topic in used.topics)

    async def call(self, method: str, path: str, body: Any = None) -> bytes:
        """Only at one address: a request that changes something must not be sent twice."""
        return (await self._request(method, self.url + path, body)).content

    async def probe(self, worker: str) -> None:
        """Raises ConnectRestError unless the worker answers under its own address."""
        await self._get(f"{self._scheme}://{worker}/", Cluster)
        self.workers.add(worker)

    async def _anywhere(self, path: str, shape: type[T]) -> T:
        try:
            return await self._get(self.url + path, shape)
        except ConnectRestError as e:
            if e.not_found:
                raise
            first = e
        for worker in sorted(self.workers):
            base = f"{self._scheme}://{worker}"
            if base != self.url:
                try:
                    return await self._get(base + path, shape)
                except ConnectRestError as e:
                    if e.not_found:
                        raise
        raise first

    async def _get(self, url: str, shape: type[T]) -> T:
        return read((await self._request("GET", url)).content, shape, url)

    async def _request(self, method: str, url: str, body: Any = None) -> httpx.Response:
        try:
            response = await self._http.request(method, url, json=body)
        except (httpx.ConnectError, httpx.ConnectTimeout) as e:
            text = f"cannot connect to {bare(url)} ({str(e) or type(e).__name__})"
            refused = _is_refused(e)
            raise ConnectRestError(text, refused=refused, unreachable=not refused) from None
        except httpx.HTTPError as e:
            raise ConnectRestError(f"no response from {bare(url)}: {str(e) or type(e).__name__}") from None
        if not response.is_success:
            text = _problem(response)
            raise ConnectRestError(text, status=409 if text == REBALANCING else response.status_code)
        return response


def read(content: bytes, shape: type[T], url: str) -> T:
    try:
        return msgspec.json.decode(content, type=shape)
    except msgspec.MsgspecError:
        raise ConnectRestError(f"{bare(url)} does not respond like Kafka Connect; is it the right address?") from None


class _Error(msgspec.Struct):
    """The body of an error of Connect's."""

    error_code: int
    message: str


def _problem(response: httpx.Response) -> str:
    status, where = response.status_code, bare(str(response.url))
    try:
        message = msgspec.json.decode(response.content, type=_Error).message
    except msgspec.MsgspecError:
        message = ""
    # A rebalance may also come as a 500.
    if (status == 409 and "already exists" not in message) or "a rebalance is expected" in message:
        return REBALANCING
    if status in (401, 403):
        return f"{where} needs other credentials ({status}); put them into the URL: http://user:password@host:port"
    if message and status < 500:
        return message
    return f"{where} answered {status}: {message or response.text[:200].strip() or response.reason_phrase}"


def bare(url: str) -> str:
    """The URL without user and password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _is_refused(error: BaseException | None) -> bool:
    """Whether the machine itself says that nothing listens there. A timeout or a missing route proves nothing."""
    while error is not None:
        if isinstance(error, BaseExceptionGroup):  # a name with several addresses
            return all(_is_refused(part) for part in error.exceptions)
        if isinstance(error, ConnectionRefusedError):
            return True
        error = error.__cause__ or error.__context__
    return False
