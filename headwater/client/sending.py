"""Sending events: in batches, with patience, and nothing lost to one bad neighbour.

The work is a generator that asks for requests and pauses; each client carries them out in its
own way. Sending twice is harmless, as the server knows the events that it has.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from headwater.client.call import API, Answer, Call
from headwater.errors import EventsRefused, HeadwaterError, Refused, ServerFailed, Unreachable
from headwater.shapes.ingest import BatchAnswer

Event = Mapping[str, Any] | msgspec.Struct | bytes | str
"""An event as a mapping, a struct, or JSON text."""

Told = Callable[[int], None]
"""Called with the number of events that are dealt with."""

_MOST_EVENTS = 500
_MOST_BYTES = 8 << 20  # a quarter of what the server takes in one request
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0


@dataclass(frozen=True)
class Pause:
    seconds: float


Work = Generator[Call[Any] | Pause, Answer[Any] | HeadwaterError | None, int | None]


def sending(events: Event | Iterable[Event], patience: float, told: Told | None = None) -> Work:
    """Yields requests and pauses; returns the position of the last event.

    Raises EventsRefused in the end if some were refused; the others are in.
    """
    work = _Sending(patience)
    done = 0
    for batch in _batches(_one_by_one(events), work.refused):
        yield from work.batch(batch)
        done = batch[-1][0] + 1
        if told:
            told(done)
    if work.refused:
        raise EventsRefused(dict(sorted(work.refused.items())), work.position)
    return work.position


class _Sending:
    def __init__(self, patience: float) -> None:
        self.position: int | None = None
        self.refused: dict[int, str] = {}
        self._patience = patience

    def batch(self, batch: list[tuple[int, bytes]]) -> Generator[Any, Any, None]:
        body = b"[" + b",".join(event for _, event in batch) + b"]"
        try:
            answer = yield from self._patiently(Call("POST", f"{API}/lineage/batch", BatchAnswer, body=body))
        except Refused as e:
            # The batch as a whole: something in it the server cannot even take apart.
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

    def _patiently(self, call: Call[BatchAnswer]) -> Generator[Any, Any, Answer[BatchAnswer]]:
        give_up = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            outcome = yield call
            if not isinstance(outcome, HeadwaterError):
                found: Answer[BatchAnswer] = outcome
                return found
            passing = isinstance(outcome, Unreachable) or (isinstance(outcome, ServerFailed) and outcome.status == 503)
            asked = outcome.retry_after if isinstance(outcome, ServerFailed) else None
            if not passing or time.monotonic() + pause > give_up:
                raise outcome
            yield Pause(min(asked or pause, give_up - time.monotonic()))
            pause = min(pause * 2, _LONGEST_PAUSE)


def _one_by_one(events: Event | Iterable[Event]) -> Iterator[Event]:
    if isinstance(events, (Mapping, msgspec.Struct, bytes, str)):
        yield events
    else:
        yield from events


def _batches(events: Iterator[Event], refused: dict[int, str]) -> Iterator[list[tuple[int, bytes]]]:
    """Events with their numbers, as JSON. What is no JSON is refused here: in a batch it would
    take its neighbours with it."""
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
