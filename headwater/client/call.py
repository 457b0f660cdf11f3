"""What a request is, before anyone sends it; and what its answer means."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx
import msgspec

from headwater.errors import HeadwaterError, NotFound, Problem, Refused, ServerFailed
from headwater.shapes.problem import ErrorBody

T = TypeVar("T")
Moment = datetime | str

API = "/api/v1"
POSITION = "Headwater-Position"

_NO_ROUTE = "Not Found"  # what is said where nothing is, as opposed to a name that is not known
_MOST_SHOWN = 300  # characters of an answer that nobody can make sense of


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request, and the type of its answer."""

    method: str
    path: str
    shape: type[T]
    params: Mapping[str, Any] = field(default_factory=dict)
    body: bytes | None = None
    # What else than 2xx is an answer: /healthz tells how the server is with a 503.
    also: tuple[int, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    def arguments(self, position: int | None) -> dict[str, Any]:
        """For httpx. With a position, the answer knows all up to there: what this client wrote itself."""
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
    """An answer as it came, read when asked for."""

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
            raise ServerFailed(f"the answer makes no sense: {e}. Is it a Headwater server?", 200) from None

    @property
    def position(self) -> int | None:
        told = self.headers.get(POSITION)
        return int(told) if told is not None and told.isdigit() else None


def get(path: str, shape: type[T], **params: Any) -> Call[T]:
    return Call("GET", API + path, shape, told(params))


def write(method: str, path: str, shape: type[T], body: Any = None, **params: Any) -> Call[T]:
    return Call(method, API + path, shape, told(params), None if body is None else msgspec.json.encode(body))


def told(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as they go into a URL; those that nobody gave are left out."""
    return {name: _text(value) for name, value in params.items() if value is not None}


def _text(value: Any) -> Any:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


def path(*parts: str) -> str:
    """Each part as one segment of a path, whatever is in it; dots too, as clients resolve them."""
    return "".join("/" + quote(part, safe="").replace(".", "%2E") for part in parts)


def answer_of(call: Call[T], response: httpx.Response) -> Answer[T]:
    """The answer, or the error that the status stands for."""
    if response.status_code not in call.also:
        answered(response)
    return Answer(response.content, response.headers, call.shape)


def answered(response: httpx.Response) -> httpx.Response:
    """The same, unless its status stands for an error."""
    if response.is_success:
        return response
    raise _error(response)


def _error(response: httpx.Response) -> HeadwaterError:
    status = response.status_code
    try:
        body = msgspec.json.decode(response.content, type=ErrorBody)
    except msgspec.MsgspecError:
        text = response.text[:_MOST_SHOWN].strip()
        return ServerFailed(f"{response.url} answered {status}: {text or response.reason_phrase}", status)
    if status == 404 and body.message == _NO_ROUTE:
        return ServerFailed(f"the server does not know {response.url.path}; it may be an older version", status)
    if status == 404:
        return NotFound(body.message)
    if status < 500:
        return Refused(body.message, status, [Problem(p.path, p.message) for p in body.errors])
    after = response.headers.get("retry-after", "")
    return ServerFailed(body.message, status, float(after) if after.isdigit() else None)
