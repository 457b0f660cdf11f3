"""Sends events in batches, retries while the server is away, and keeps good events apart from bad ones.

A generator yields requests and pauses, and each client carries them out in its own way. Sending twice is
harmless: the server skips events that it has.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from headwater.client.request import API, Answer, Request
from headwater.errors import EventsRefused, HeadwaterError, Refused, ServerFailed, Unreachable
from headwater.shapes.ingest import BatchAnswer

Event = Mapping[str, Any] | msgspec.Struct | bytes | str
"""An event as a mapping, a struct, or JSON text."""

Progress = Callable[[int], None]
"""Called with the number of events done so far."""

_MOST_EVENTS = 500
_MOST_BYTES = 8 << 20  # a quarter of the server's limit for one request
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0


@dataclass(frozen=True)
class Pause:
    seconds: float


Steps = Generator[Request[Any] | Pause, Answer[Any] | HeadwaterError | None, int | None]


def send_in_batches(events: Event | Iterable[Event], patience: float, progress: Progress | None = None) -> Steps:
    """Yields requests and pauses; returns the position of the last event.

    Raises EventsRefused in the end if some were refused; the others are stored.
    """
    sender = _Sender(patience)
    done = 0
    for batch in _batches(_each(events), sender.refused):
        yield from sender.batch(batch)
        done = batch[-1][0] + 1
        if progress:
            progress(done)
    if sender.refused:
        raise EventsRefused(dict(sorted(sender.refused.items())), sender.position)
    return sender.position


class _Sender:
    def __init__(self, patience: float) -> None:
        self.position: int | None = None
        self.refused: dict[int, str] = {}
        self._patience = patience

    def batch(self, batch: list[tuple[int, bytes]]) -> Generator[Any, Any, None]:
        body = b"[" + b",".join(event for _, event in batch) + b"]"
        try:
            answer = yield from self._with_retries(Request("POST", f"{API}/lineage/batch", BatchAnswer, body=body))
        except Refused as e:
            # The batch as a whole: something in it the server could not even parse.
            if len(batch) == 1:
                self.refused[batch[0][0]] = str(e)
                return
            for one in batch:
                yield from self.batch([one])
            return
        if answer.body:
            for failed in answer.value.failed_events:
                self.refused[batch[failed.index][0]] = failed.reason
        if answer.position is not None:
            self.position = max(self.position or 0, answer.position)

    def _with_retries(self, request: Request[BatchAnswer]) -> Generator[Any, Any, Answer[BatchAnswer]]:
        deadline = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            outcome = yield request
            if not isinstance(outcome, HeadwaterError):
                answer: Answer[BatchAnswer] = outcome
                return answer
            retry_after = outcome.retry_after if isinstance(outcome, ServerFailed) else None
            unavailable = isinstance(outcome, ServerFailed) and outcome.status == 503
            temporary = unavailable or isinstance(outcome, Unreachable)
            if not temporary or time.monotonic() + pause > deadline:
                raise outcome
            yield Pause(min(retry_after or pause, deadline - time.monotonic()))
            pause = min(pause * 2, _LONGEST_PAUSE)


def _each(events: Event | Iterable[Event]) -> Iterator[Event]:
    if isinstance(events, (Mapping, msgspec.Struct, bytes, str)):
        yield events
    else:
        yield from events


def _batches(events: Iterator[Event], refused: dict[int, str]) -> Iterator[list[tuple[int, bytes]]]:
    """Events with their indexes, as JSON. What is not JSON is refused here: in a batch it would fail its
    neighbours too."""
    batch: list[tuple[int, bytes]] = []
    size = 0
    for index, event in enumerate(events):
        try:
            text = _json(event)
        except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as e:
            refused[index] = f"is not JSON: {e}"
            continue
        if batch and (len(batch) == _MOST_EVENTS or size + len(text) > _MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append((index, text))
        size += len(text)
    if batch:
        yield batch


def _json(event: Event) -> bytes:
    if isinstance(event, str):
        event = event.encode()
    if isinstance(event, bytes):
        msgspec.json.decode(event, type=msgspec.Raw)
        return event
    return msgspec.json.encode(event)
