"""Read your own writes: a question may name a position of the log, and waits until it is reached."""

import msgspec

from headwater.api.errors import body_of
from headwater.api.ingest import Scope, Send
from headwater.errors import BadRequest, HeadwaterError
from headwater.ids import Position
from headwater.service import Service

_HEADER = b"headwater-position"

# More than any position will ever be.
LAST_POSITION = 10**18 - 1


def read_position(name: str, text: str) -> Position:
    if text.isascii() and text.isdigit() and len(text) <= len(str(LAST_POSITION)):
        return Position(int(text))
    raise BadRequest(
        f"{name} {text[:40]!r} is no position; a position is a number, from the `Headwater-Position` header of an "
        "answer or the id of a live message"
    )


async def position_reached(service: Service, seconds: float, scope: Scope, send: Send) -> bool:
    """Whether the request can be answered now. If not, it has been answered: it named what is no
    position, or one that was not reached in time."""
    for name, value in scope["headers"]:
        if name == _HEADER:
            try:
                await service.reached(read_position("Headwater-Position", value.decode("latin-1")), seconds)
            except HeadwaterError as e:
                await _refuse(send, e)
                return False
    return True


async def _refuse(send: Send, error: HeadwaterError) -> None:
    body = body_of(error)
    text = msgspec.json.encode(body)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(text)).encode())]
    if body.code == 503:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": body.code, "headers": headers})
    await send({"type": "http.response.body", "body": text})
