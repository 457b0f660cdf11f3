"""What all commands that query a server have in common."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypeVar

from cyclopts import Parameter, Token
from rich.console import RenderableType

from headwater.cli import console
from headwater.client import Client, names
from headwater.client.request import Request
from headwater.client.times import parse_time
from headwater.defaults import DEFAULT_URL
from headwater.errors import BadRequest

T = TypeVar("T")

Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
Repeatable = Annotated[tuple[str, ...], Parameter(negative=(), show_default=False)]
Url = Annotated[str, Parameter(env_var="HEADWATER_URL", help="URL of the server.")]


@Parameter(name="*")
@dataclass(frozen=True)
class QueryOptions:
    """Options of every command that queries a server."""

    url: Url = DEFAULT_URL
    json: Annotated[bool, Parameter(negative=(), show_default=False, help="Print JSON instead of text.")] = False

    def client(self) -> Client:
        return Client(self.url)

    def show(self, client: Client, request: Request[T], render: Callable[[T], RenderableType]) -> T | None:
        """Shows the answer. Returns it, unless it was printed as JSON without decoding it."""
        answer = client.ask(request)
        if self.json:
            console.write(answer.body + b"\n")
            return None
        value = answer.value
        console.show(render(value))
        return value


DEFAULT = QueryOptions()

_MOST_ALTERNATIVES = 5


def resolve(client: Client, text: str, kinds: tuple[str, ...] = names.NODES) -> str:
    """The node id that `text` means. Prints which one is used if it matches several."""
    match = names.resolve(client, text, kinds)
    if match.others:
        more = ", …" if len(match.others) > _MOST_ALTERNATIVES else ""
        console.note(f"using {match.node_id}; also matches {', '.join(match.others[:_MOST_ALTERNATIVES])}{more}")
    return match.node_id


def _convert(_: Any, tokens: Sequence[Token]) -> datetime:
    try:
        return parse_time(tokens[0].value)
    except BadRequest as e:
        raise ValueError(str(e)) from None


Time = Annotated[datetime, Parameter(converter=_convert)]
