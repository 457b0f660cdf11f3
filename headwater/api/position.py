"""Read your own writes: a question may name a position of the log, and waits until it is reached."""

import asyncio

from headwater.api.ingest import Scope, Send, answer_error
from headwater.errors import BadRequest, HeadwaterError, NotYet
from headwater.ids import Position
from headwater.ingest.service import Service
from headwater.search.search import Search

_HEADER = b"headwater-position"
_SEARCHES = ("/api/v1/search", "/api/v2beta/search/")

# More than any position will ever be.
LAST_POSITION = 10**18 - 1


def read_position(name: str, text: str) -> Position:
    if text.isascii() and text.isdigit() and len(text) <= len(str(LAST_POSITION)):
        return Position(int(text))
    raise BadRequest(
        f"{name} {text[:40]!r} is no position; a position is a number, from the `Headwater-Position` header of an "
        "answer or the id of a live message"
    )


async def position_reached(service: Service, search: Search, seconds: float, scope: Scope, send: Send) -> bool:
    """Whether the request can be answered now. If not, it has been answered: it named what is no
    position, or one that was not reached in time."""
    for name, value in scope["headers"]:
        if name == _HEADER:
            try:
                position = read_position("Headwater-Position", value.decode("latin-1"))
                await service.reached(position, seconds)
                if scope["path"].startswith(_SEARCHES):
                    await _searchable(search, position, seconds)
            except HeadwaterError as e:
                await answer_error(send, e)
                return False
    return True


async def _searchable(search: Search, position: Position, seconds: float) -> None:
    """The index follows the state, so it may get there a moment later."""
    try:
        async with asyncio.timeout(seconds):
            await search.reached(position)
    except TimeoutError:
        raise NotYet(f"the search index has not reached position {position} after {seconds:g} s") from None
