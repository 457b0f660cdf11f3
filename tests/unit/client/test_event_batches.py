"""Batches, refusals and retries, with the answers of a server given by hand."""

from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import pytest

from headwater.client.event_batches import Event, Pause, send_in_batches
from headwater.client.request import Answer, Request
from headwater.errors import EventsRefused, HeadwaterError, Refused, ServerFailed, Unreachable
from headwater.shapes.ingest import BatchAnswer

Reply = Callable[[list[Any]], Answer[Any] | HeadwaterError]


def accepted(position: int = 1) -> Answer[Any]:
    return Answer(b"", httpx.Headers({"Headwater-Position": str(position)}), type(None))


def drive(events: Any, reply: Reply, patience: float = 60.0) -> tuple[int | None, list[list[Any]], list[float]]:
    """The position, the batches that were sent, and the pauses."""
    steps, outcome = send_in_batches(events, patience), None
    sent: list[list[Any]] = []
    pauses: list[float] = []
    while True:
        try:
            step: Any = steps.send(outcome)
        except StopIteration as done:
            return done.value, sent, pauses
        if isinstance(step, Pause):
            pauses.append(step.seconds)
            outcome = None
            continue
        assert isinstance(step, Request)
        sent.append(msgspec.json.decode(step.body or b""))
        outcome = reply(sent[-1])


@pytest.mark.parametrize("event", [{"a": 1}, b'{"a": 1}', '{"a": 1}'], ids=["mapping", "bytes", "text"])
def test_one_event_is_sent_whatever_it_is_made_of(event: Event) -> None:
    assert drive(event, lambda _: accepted(5)) == (5, [[{"a": 1}]], [])


def test_many_events_go_in_batches_and_the_last_position_is_returned() -> None:
    positions = iter((3, 9, 4))
    position, sent, _ = drive(({"n": n} for n in range(1200)), lambda _: accepted(next(positions)))
    assert [len(batch) for batch in sent] == [500, 500, 200]
    assert [event["n"] for batch in sent for event in batch] == list(range(1200))
    assert position == 9


def test_large_events_go_in_small_batches() -> None:
    _, sent, _ = drive([{"text": "x" * (3 << 20)}] * 5, lambda _: accepted())
    assert [len(batch) for batch in sent] == [2, 2, 1]


def test_nothing_to_send_is_no_request() -> None:
    assert drive([], lambda _: accepted()) == (None, [], [])


def test_refused_events_are_named_by_their_number_and_the_others_are_in() -> None:
    def reply(batch: list[Any]) -> Answer[Any]:
        failed = [
            {"index": i, "reason": "bad", "retriable": False}
            for i, event in enumerate(batch)
            if event["n"] % 600 == 599
        ]
        summary = {"received": 0, "successful": 0, "failed": 0, "retriable": 0, "non_retriable": 0}
        body = {"status": "partial_success", "summary": summary, "failed_events": failed}
        return Answer(msgspec.json.encode(body), httpx.Headers({"Headwater-Position": "7"}), BatchAnswer)

    with pytest.raises(EventsRefused) as refusal:
        drive([{"n": n} for n in range(1200)], reply)
    assert refusal.value.refused == {599: "bad", 1199: "bad"}
    assert refusal.value.position == 7
    assert "event 600 was refused: bad; 1 more refused" in str(refusal.value)


def test_text_that_is_no_json_does_not_take_its_neighbours_with_it() -> None:
    seen: list[Any] = []
    with pytest.raises(EventsRefused) as refusal:
        drive([b'{"n": 0}', b"{broken", '{"n": 2}'], lambda batch: seen.append(batch) or accepted())  # type: ignore[func-returns-value]
    assert seen == [[{"n": 0}, {"n": 2}]]
    assert list(refusal.value.refused) == [1]


def test_a_batch_that_is_refused_whole_is_sent_one_by_one() -> None:
    def reply(batch: list[Any]) -> Answer[Any] | HeadwaterError:
        return Refused("too odd", 400) if {"n": 1} in batch else accepted(3)

    with pytest.raises(EventsRefused) as refusal:
        drive([{"n": n} for n in range(3)], reply)
    assert refusal.value.refused == {1: "too odd"}
    assert refusal.value.position == 3


@pytest.mark.parametrize("error", [Unreachable("away"), ServerFailed("disk full", 503)])
def test_temporary_errors_are_retried(error: HeadwaterError) -> None:
    answers = iter([error, error, error])
    position, sent, pauses = drive({"n": 1}, lambda _: next(answers, accepted(4)))
    assert (position, len(sent)) == (4, 4)
    assert pauses == sorted(pauses)
    assert len(set(pauses)) == 3


def test_the_server_says_how_long_to_wait() -> None:
    answers = iter([ServerFailed("disk full", 503, 5.0)])
    assert drive({"n": 1}, lambda _: next(answers, accepted()))[2] == [5.0]


def test_without_patience_errors_are_raised_at_once() -> None:
    with pytest.raises(Unreachable):
        drive({"n": 1}, lambda _: Unreachable("away"), patience=0)


def test_permanent_errors_are_raised_at_once() -> None:
    with pytest.raises(ServerFailed):
        drive({"n": 1}, lambda _: ServerFailed("a bug", 500))
