"""Server-sent events, however they are cut into pieces."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.client.stream import FIRST_PAUSE, LONGEST_PAUSE, Stream
from headwater.errors import ServerFailed
from headwater.shapes.live import LiveChange, LiveResync

CHANGE = {
    "position": 8,
    "eventTime": "2026-11-10T09:00:00Z",
    "eventType": "START",
    "run": None,
    "job": "job:ns:line\u2028separator é",
    "dataset": None,
    "inputs": [],
    "outputs": [],
    "addedNodes": [],
    "addedEdges": [],
    "schemas": [],
    "columns": [],
    "changed": [],
}
TEXT = (
    b": ping\n\n"
    b'event: hello\nid: 7\ndata: {"position": 7}\n\n'
    b"event: change\r\nid: 8\r\ndata: " + msgspec.json.encode(CHANGE) + b"\r\n\r\n"
    b'event: resync\nid: 20\ndata: {"position": 20,\ndata: "reason": "slow"}\n\n'
)


def messages(stream: Stream, *chunks: bytes) -> list[LiveChange | LiveResync]:
    return [message for chunk in chunks for message in stream.feed(chunk)]


@given(st.lists(st.integers(0, len(TEXT)), max_size=8))
def test_messages_come_whole_however_they_are_cut(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(TEXT)]
    pieces = [TEXT[a:b] for a, b in pairwise(edges)]
    first, second = messages(Stream(None, {}), *pieces)
    assert isinstance(first, LiveChange)
    assert (first.position, first.job) == (8, CHANGE["job"])
    assert second == LiveResync(20, "slow")


def test_it_goes_on_behind_the_last_message_that_came_whole() -> None:
    stream = Stream(None, {})
    assert "Last-Event-ID" not in stream.arguments()["headers"]
    messages(stream, TEXT[: TEXT.index(b"event: resync")], b"event: resync\nid: 20\ndata: {")
    assert stream.arguments()["headers"]["Last-Event-ID"] == "8"
    assert messages(stream, b'"position": 20}\n\n') == []


def test_it_begins_where_it_is_told_to() -> None:
    assert Stream(5, {}).arguments()["headers"]["Last-Event-ID"] == "5"


def test_a_hello_is_enough_to_go_on_from() -> None:
    stream = Stream(None, {})
    assert messages(stream, b'event: hello\nid: 7\ndata: {"position": 7}\n\n') == []
    assert stream.arguments()["headers"]["Last-Event-ID"] == "7"


def test_only_filters_that_were_given_are_sent() -> None:
    assert Stream(None, {"namespace": "a", "nodeId": None}).arguments()["params"] == {"namespace": "a"}


def test_pauses_grow_until_something_comes() -> None:
    stream = Stream(None, {})
    pauses = [stream.next_pause() for _ in range(20)]
    assert pauses[0] == FIRST_PAUSE
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE
    messages(stream, b": ping\n\n")
    assert stream.next_pause() == FIRST_PAUSE


def test_what_makes_no_sense_is_said() -> None:
    with pytest.raises(ServerFailed, match="no sense"):
        messages(Stream(None, {}), b"event: change\ndata: {}\n\n")
