"""What all commands that ask a server have in common."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, TypeVar

from cyclopts import Parameter, Token
from rich.console import RenderableType

from headwater.cli import console
from headwater.client import Client
from headwater.client.call import Call
from headwater.client.client import URL

T = TypeVar("T")

Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
Several = Annotated[tuple[str, ...], Parameter(negative=(), show_default=False)]
Url = Annotated[str, Parameter(env_var="HEADWATER_URL", help="The server.")]


@Parameter(name="*")
@dataclass(frozen=True)
class Asking:
    """Options of every command that asks."""

    url: Url = URL
    json: Annotated[bool, Parameter(negative=(), show_default=False, help="Print the server's JSON as it is.")] = False

    def client(self) -> Client:
        return Client(self.url)

    def show(self, client: Client, call: Call[T], render: Callable[[T], RenderableType]) -> T | None:
        """Asks and shows the answer. Returns it, unless it was printed as JSON without reading it."""
        answer = client.ask(call)
        if self.json:
            console.write(answer.body + b"\n")
            return None
        value = answer.value
        console.show(render(value))
        return value


DEFAULT = Asking()

_AGO = re.compile(r"-?(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w)")
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}


def moment(text: str) -> datetime:
    """`2026-11-10`, `2026-11-10T09:00Z`, or how long ago: `90s`, `15m`, `2h`, `7d`, `now`."""
    if text == "now":
        return datetime.now(UTC)
    ago = _AGO.fullmatch(text)
    if ago:
        return datetime.now(UTC) - timedelta(seconds=float(ago[1]) * _SECONDS[ago[2]])
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _convert(_: Any, tokens: Sequence[Token]) -> datetime:
    try:
        return moment(tokens[0].value)
    except (ValueError, OverflowError):
        raise ValueError(f"{tokens[0].value!r} is no time; say 2026-11-10T09:00Z, or how long ago: 2h, 7d") from None


When = Annotated[datetime, Parameter(converter=_convert)]
