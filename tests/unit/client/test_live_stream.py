"""Server-sent events, however they are cut into pieces."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.client.live_stream import FIRST_PAUSE, LONGEST_PAUSE, LiveStream
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


def updates(stream: LiveStream, *chunks: bytes) -> list[LiveChange | LiveResync]:
    return [update for chunk in chunks for update in stream.feed(chunk)]


@given(st.lists(st.integers(0, len(TEXT)), max_size=8))
def test_updates_are_whole_however_they_are_cut(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(TEXT)]
    pieces = [TEXT[a:b] for a, b in pairwise(edges)]
    first, second = updates(LiveStream(None, {}), *pieces)
    assert isinstance(first, LiveChange)
    assert (first.position, first.job) == (8, CHANGE["job"])
    assert second == LiveResync(20, "slow")


def test_it_goes_on_after_the_last_whole_update() -> None:
    stream = LiveStream(None, {})
    assert "Last-Event-ID" not in stream.arguments()["headers"]
    updates(stream, TEXT[: TEXT.index(b"event: resync")], b"event: resync\nid: 20\ndata: {")
    assert stream.arguments()["headers"]["Last-Event-ID"] == "8"
    assert updates(stream, b'"position": 20}\n\n') == []


def test_it_starts_after_the_given_position() -> None:
    assert LiveStream(5, {}).arguments()["headers"]["Last-Event-ID"] == "5"


def test_a_hello_is_enough_to_go_on_from() -> None:
    stream = LiveStream(None, {})
    assert updates(stream, b'event: hello\nid: 7\ndata: {"position": 7}\n\n') == []
    assert stream.arguments()["headers"]["Last-Event-ID"] == "7"


def test_only_filters_that_were_given_are_sent() -> None:
    assert LiveStream(None, {"namespace": "a", "nodeId": None}).arguments()["params"] == {"namespace": "a"}


def test_pauses_grow_until_something_comes() -> None:
    stream = LiveStream(None, {})
    pauses = [stream.next_pause() for _ in range(20)]
    assert pauses[0] == FIRST_PAUSE
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE
    updates(stream, b": ping\n\n")
    assert stream.next_pause() == FIRST_PAUSE


def test_a_malformed_update_is_an_error() -> None:
    with pytest.raises(ServerFailed, match="cannot read the live stream"):
        updates(LiveStream(None, {}), b"event: change\ndata: {}\n\n")
