"""POST /api/v1/lineage and /api/v1/lineage/batch, as a plain ASGI handler.

This is the hot path: a routed request reaches only half to three quarters of the rate.
"""

import asyncio
import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

from headwater.api.errors import body_of
from headwater.config import Settings
from headwater.errors import BadEvent, BadRequest, HeadwaterError, NotYet, Problem, StoreUnavailable, TooLarge
from headwater.ingest.folding import EVENTS_PER_SLICE
from headwater.ingest.service import Service
from headwater.openlineage.event import MAX_EVENT_BYTES, Event, decode, decode_batch, decode_or_refuse, split_batch
from headwater.shapes.ingest import BatchAnswer, BatchSummary, FailedEvent
from headwater.shapes.problem import ErrorBody

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

EVENT_PATH, BATCH_PATH = "/api/v1/lineage", "/api/v1/lineage/batch"

_MOST_DISCARDED = 8 * MAX_EVENT_BYTES
_LARGE_BATCH_BYTES = 64 << 10
_JSON = (b"content-type", b"application/json")
_encode = msgspec.json.Encoder().encode


class Ingest:
    def __init__(self, service: Service, settings: Settings) -> None:
        self._service = service
        self._body_seconds = settings.body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await self._body(scope, receive)
            self._service.counters.bytes_in += len(body)
            if scope["path"] == EVENT_PATH:
                await self._one(body, send)
            else:
                await self._many(body, send)
        except HeadwaterError as e:
            if not isinstance(e, StoreUnavailable):
                self._service.counters.rejected += 1
            await answer_error(send, e)

    async def _one(self, body: bytes, send: Send) -> None:
        if body[:16].lstrip()[:1] == b"[":
            raise BadEvent(Problem("", f"is an array; send many events at once to {BATCH_PATH}"))
        event = decode(body)
        appended = (await self._service.ingest((event,)))[0]
        headers = [
            (b"content-length", b"0"),
            (b"headwater-position", str(appended.position).encode()),
        ]
        await send({"type": "http.response.start", "status": 201, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def _many(self, body: bytes, send: Send) -> None:
        decoded = await self._decoded(body)
        events = [event for event in decoded if isinstance(event, Event)]
        failed = [FailedEvent(i, why, retriable=False) for i, why in enumerate(decoded) if isinstance(why, str)]
        appended = await self._service.ingest(events)
        self._service.counters.rejected += len(failed)
        headers: list[tuple[bytes, bytes]] = []
        if appended:
            last = max(a.position for a in appended)
            headers.append((b"headwater-position", str(last).encode()))
        if not failed:
            await send({"type": "http.response.start", "status": 204, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        summary = BatchSummary(len(decoded), len(events), len(failed), 0, len(failed))
        await _answer(send, 200, BatchAnswer("partial_success", summary, failed), headers)

    async def _decoded(self, body: bytes) -> list[Event | str]:
        """The events, or why one is none. A large batch is read by a reader, if one has nothing to do: what is
        left here is a tenth. Ingest never waits for a query."""
        if len(body) >= _LARGE_BATCH_BYTES and self._service.query_runner.is_free():
            return await self._service.run_query(decode_batch, body)
        decoded: list[Event | str] = []
        for index, text in enumerate(split_batch(body), 1):
            decoded.append(decode_or_refuse(text))
            if index % EVENTS_PER_SLICE == 0:
                await asyncio.sleep(0)
        return decoded

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        encoding = b""
        for name, value in scope["headers"]:
            if name == b"content-encoding":
                encoding = value.lower()
            elif name == b"content-length" and value.isdigit() and int(value) > MAX_EVENT_BYTES:
                raise _too_large()
        body = await self._received(receive)
        if not encoding or encoding == b"identity":
            return bytes(body)
        if encoding in (b"gzip", b"x-gzip", b"deflate"):
            return _inflate(body)
        raise BadRequest(f"Content-Encoding {encoding.decode('latin-1')} is not supported; use gzip or none")

    async def _received(self, receive: Receive) -> bytes:
        """`asyncio.timeout` by hand, which costs a tenth of it."""
        task = asyncio.current_task()
        assert task is not None
        late = False

        def give_up() -> None:
            nonlocal late
            late = True
            task.cancel()

        timer = asyncio.get_running_loop().call_later(self._body_seconds, give_up)
        try:
            return await _chunks(receive)
        except asyncio.CancelledError:
            if late and task.uncancel() == 0:
                raise BadRequest(f"the body did not arrive within {self._body_seconds:g} s") from None
            raise
        finally:
            timer.cancel()


async def _chunks(receive: Receive) -> bytes:
    chunks: list[bytes] = []
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BadRequest("the connection closed before the end of the body")
        chunk = message.get("body", b"")
        size += len(chunk)
        more = message.get("more_body", False)
        if size <= MAX_EVENT_BYTES:
            chunks.append(chunk)
        elif not more or size > _MOST_DISCARDED:
            # Not before: whoever still sends does not read, and would miss the answer.
            raise _too_large()
        else:
            chunks.clear()
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def bounded(receive: Receive) -> Receive:
    """The same for those who read a body piece by piece."""
    size = 0

    async def next_message() -> MutableMapping[str, Any]:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size <= MAX_EVENT_BYTES:
            return message
        while message.get("more_body", False) and size <= _MOST_DISCARDED:
            message = await receive()
            size += len(message.get("body", b""))
        raise _too_large()

    return next_message


def _inflate(body: bytes) -> bytes:
    text = b""
    while body:  # a gzip body may be several, one behind the other
        inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)  # gzip or zlib, by the header
        try:
            text += inflater.decompress(body, MAX_EVENT_BYTES + 1 - len(text))
        except zlib.error as e:
            raise BadEvent(Problem("", f"is not gzip: {e}"), malformed=True) from None
        if len(text) > MAX_EVENT_BYTES:
            raise _too_large()
        if not inflater.eof:
            raise BadEvent(Problem("", "the gzip body ends too early"), malformed=True)
        body = inflater.unused_data
    return text


def _too_large() -> TooLarge:
    return TooLarge(
        f"the body is larger than {MAX_EVENT_BYTES >> 20} MiB; send it in several requests, "
        f"many events at once to {BATCH_PATH}"
    )


async def answer_error(send: Send, problem: HeadwaterError) -> None:
    error = body_of(problem)
    seconds = b"1" if isinstance(problem, NotYet) else b"5"
    headers = [(b"retry-after", seconds)] if error.code == 503 else []
    await _answer(send, error.code, error, headers)


async def _answer(send: Send, status: int, body: BatchAnswer | ErrorBody, headers: list[tuple[bytes, bytes]]) -> None:
    text = _encode(body)
    headers = [_JSON, (b"content-length", str(len(text)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})
