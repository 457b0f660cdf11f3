"""Requests before they are sent, and the answers or errors that responses stand for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx
import msgspec

from headwater.errors import HeadwaterError, NotFound, Problem, Refused, ServerFailed
from headwater.shapes.problem import ErrorBody

T = TypeVar("T")
Item = TypeVar("Item")
Page = TypeVar("Page")
Time = datetime | str

API = "/api/v1"
POSITION = "Headwater-Position"

PER_PAGE = 500

_NO_ROUTE = "Not Found"  # the message for an unknown path, as opposed to an unknown name
_MOST_SHOWN = 300  # characters of a response that is not Headwater's


@dataclass(frozen=True)
class Request(Generic[T]):
    """One request, and the type of its answer."""

    method: str
    path: str
    shape: type[T]
    params: Mapping[str, Any] = field(default_factory=dict)
    body: bytes | None = None
    # Statuses other than 2xx that carry an answer: /healthz answers 503 when the server is degraded.
    also: tuple[int, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    def arguments(self, position: int | None) -> dict[str, Any]:
        """For httpx. With a position, the server answers once it has everything up to there: read your own writes."""
        headers = dict(self.headers)
        if self.body is not None:
            headers["Content-Type"] = "application/json"
        if position is not None and self.method == "GET":
            headers[POSITION] = str(position)
        return {
            "method": self.method,
            "url": self.path,
            "params": self.params or None,
            "content": self.body,
            "headers": headers,
        }


@dataclass(frozen=True)
class Answer(Generic[T]):
    """The body as it was received; `value` decodes it."""

    body: bytes
    headers: httpx.Headers
    shape: type[T]

    @property
    def value(self) -> T:
        if self.shape is type(None):
            return None
        try:
            return msgspec.json.decode(self.body, type=self.shape)
        except msgspec.MsgspecError as e:
            raise ServerFailed(f"cannot read the answer: {e}. Is this a Headwater server?", 200) from None

    @property
    def position(self) -> int | None:
        position = self.headers.get(POSITION)
        return int(position) if position is not None and position.isdigit() else None


@dataclass(frozen=True)
class Pages(Generic[Page, Item]):
    """A list that the server gives in pages."""

    request: Request[Page]
    items: Callable[[Page], list[Item]]

    def page(self, offset: int, limit: int = PER_PAGE) -> Request[Page]:
        return replace(self.request, params={**self.request.params, "limit": limit, "offset": offset})


def get(path: str, shape: type[T], **params: Any) -> Request[T]:
    return Request("GET", API + path, shape, without_none(params))


def write(method: str, path: str, shape: type[T], body: Any = None, **params: Any) -> Request[T]:
    return Request(method, API + path, shape, without_none(params), None if body is None else msgspec.json.encode(body))


def without_none(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as a URL has them; those that are None are left out."""
    return {name: _text(value) for name, value in params.items() if value is not None}


def _text(value: Any) -> Any:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


def path(*parts: str) -> str:
    """Each part as one path segment, whatever is in it. Dots are escaped too, as HTTP clients resolve `..`."""
    return "".join("/" + quote(part, safe="").replace(".", "%2E") for part in parts)


def answer_of(request: Request[T], response: httpx.Response) -> Answer[T]:
    """The answer, or the error that the status stands for."""
    if response.status_code not in request.also:
        raise_for_status(response)
    return Answer(response.content, response.headers, request.shape)


def raise_for_status(response: httpx.Response) -> None:
    if not response.is_success:
        raise _error(response)


def _error(response: httpx.Response) -> HeadwaterError:
    status = response.status_code
    try:
        body = msgspec.json.decode(response.content, type=ErrorBody)
    except msgspec.MsgspecError:
        text = response.text[:_MOST_SHOWN].strip()
        return ServerFailed(f"{response.url} answered {status}: {text or response.reason_phrase}", status)
    if status == 404 and body.message == _NO_ROUTE:
        return ServerFailed(f"the server has no {response.url.path}; is it an older version?", status)
    if status == 404:
        return NotFound(body.message)
    if status < 500:
        return Refused(body.message, status, [Problem(p.path, p.message) for p in body.errors])
    after = response.headers.get("retry-after", "")
    return ServerFailed(body.message, status, float(after) if after.isdigit() else None)
