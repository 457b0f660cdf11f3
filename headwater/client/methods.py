"""The methods that `Client` and `AsyncClient` share: one line for each request."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

import httpx

from headwater.client import catalogue, queries
from headwater.client import connectors as connect
from headwater.client.request import Answer, Item, Page, Pages, Request
from headwater.errors import Unreachable

if TYPE_CHECKING:
    from headwater.client.client import AsyncClient, Client

P = ParamSpec("P")
T = TypeVar("T")

_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")


class _Method(Generic[P, T]):
    """A request as a method of both clients."""

    def __init__(self, describe: Callable[P, Request[T]]) -> None:
        self._describe = describe

    @overload
    def __get__(self, client: None, owner: type) -> Callable[P, Request[T]]: ...
    @overload
    def __get__(self, client: "Client", owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: "AsyncClient", owner: type) -> Callable[P, Awaitable[T]]: ...
    def __get__(self, client: Any, owner: type) -> Any:
        if client is None:
            return self._describe
        return lambda *args, **kwargs: client._value(self._describe(*args, **kwargs))


class _PagedMethod(Generic[P, Page, Item]):
    """A list as a method of both clients; it gives the items of all pages."""

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


class ClientMethods:
    """What both clients can ask and change, and what they know."""

    healthz = _Method(queries.healthz)

    lineage = _Method(queries.lineage)
    column_lineage = _Method(queries.column_lineage)
    path = _Method(queries.path_between)
    impact = _Method(queries.impact)
    why = _Method(queries.why)
    diff = _Method(queries.diff)
    freshness = _Method(queries.freshness)
    late = _Method(queries.late)
    gaps = _Method(queries.gaps)
    run_lineage = _Method(queries.run_lineage)
    search = _Method(queries.search)

    namespaces = _PagedMethod(catalogue.namespaces)
    namespace = _Method(catalogue.namespace)
    jobs = _PagedMethod(catalogue.jobs)
    job = _Method(catalogue.job)
    job_versions = _PagedMethod(catalogue.job_versions)
    job_version = _Method(catalogue.job_version)
    datasets = _PagedMethod(catalogue.datasets)
    dataset = _Method(catalogue.dataset)
    versions = _PagedMethod(catalogue.versions)
    version = _Method(catalogue.version)
    runs = _PagedMethod(catalogue.runs)
    run = _Method(catalogue.run)
    run_facets = _Method(catalogue.run_facets)
    sources = _PagedMethod(catalogue.sources)
    source = _Method(catalogue.source)
    tags = _PagedMethod(catalogue.tags)
    event_counts = _Method(catalogue.event_counts)
    counts = _Method(catalogue.counts)
    events = _PagedMethod(queries.events)

    put_namespace = _Method(catalogue.put_namespace)
    delete_namespace = _Method(catalogue.delete_namespace)
    put_dataset = _Method(catalogue.put_dataset)
    delete_dataset = _Method(catalogue.delete_dataset)
    tag_dataset = _Method(catalogue.tag_dataset)
    untag_dataset = _Method(catalogue.untag_dataset)
    put_job = _Method(catalogue.put_job)
    delete_job = _Method(catalogue.delete_job)
    tag_job = _Method(catalogue.tag_job)
    untag_job = _Method(catalogue.untag_job)
    create_run = _Method(catalogue.create_run)
    mark_run = _Method(catalogue.mark_run)
    put_source = _Method(catalogue.put_source)
    put_tag = _Method(catalogue.put_tag)

    connect_clusters = _Method(connect.clusters)
    connectors = _Method(connect.connectors)
    connector = _Method(connect.connector)
    connector_plugins = _Method(connect.plugins)
    validate_connector = _Method(connect.validate)
    create_connector = _Method(connect.create)
    configure_connector = _Method(connect.configure)
    change_connector = _Method(connect.change)
    restart_task = _Method(connect.restart_task)
    delete_connector = _Method(connect.delete)

    def __init__(self, url: str, timeout: float) -> None:
        self.url = url.rstrip("/")
        self.position: int | None = None
        """The log position of the last thing that this client wrote. Later answers include everything up to there."""
        self._timeout = timeout

    def _http_options(self) -> dict[str, Any]:
        # A proxy from the environment is not for a server on this machine.
        try:
            host = httpx.URL(self.url).host
        except httpx.InvalidURL as e:
            raise self._unreachable(e) from None
        return {"base_url": self.url, "timeout": self._timeout, "trust_env": host not in _THIS_MACHINE}

    def _remember_position(self, answer: Answer[T]) -> Answer[T]:
        if answer.position is not None:
            self.position = max(self.position or 0, answer.position)
        return answer

    def _unreachable(self, error: Exception) -> Unreachable:
        reason = str(error) or type(error).__name__
        return Unreachable(
            f"no server at {self.url} ({reason}). Start one with `headwater serve`, or set --url or HEADWATER_URL."
        )
