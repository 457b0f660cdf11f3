"""What all commands that ask a server have in common."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypeVar

from cyclopts import Parameter, Token
from rich.console import RenderableType

from headwater.cli import console
from headwater.client import Client, names
from headwater.client.call import Call
from headwater.client.client import URL
from headwater.client.moments import moment
from headwater.errors import BadRequest

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

_NAMED = 5  # alternatives that are worth reading


def find(client: Client, text: str, kinds: tuple[str, ...] = names.NODES) -> str:
    """The node id that `text` means. Tells which one was taken when there are others."""
    found = names.find(client, text, kinds)
    if found.others:
        more = ", …" if len(found.others) > _NAMED else ""
        console.note(f"taking {found.node_id}; not {', '.join(found.others[:_NAMED])}{more}")
    return found.node_id


def _convert(_: Any, tokens: Sequence[Token]) -> datetime:
    try:
        return moment(tokens[0].value)
    except BadRequest as e:
        raise ValueError(str(e)) from None


When = Annotated[datetime, Parameter(converter=_convert)]
