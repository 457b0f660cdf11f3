"""The live stream of a running server: resuming, restarts, slow readers, filters, the end."""

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import TracebackType
from typing import Any

import httpx
import pytest

from headwater.live.hub import RING_EVENTS
from tests.integration.samples import KAFKA, LAKE, dataset_event, job_event, run_event
from tests.support.live import StreamMessage, read_stream
from tests.support.server import PATIENCE, MakeServer, Server, assert_error, wait_for

LIVE = "/api/v1/live"


class Stream:
    """A client of the live stream. It reads only as much as a test asks for."""

    def __init__(self, server: Server, last_id: int | None = None, **parameters: Any) -> None:
        # Without certificates, which would take longer to read than all the rest.
        self._client = httpx.Client(base_url=server.url, timeout=PATIENCE, trust_env=False, verify=False)
        headers = {} if last_id is None else {"Last-Event-ID": str(last_id)}
        self._request = self._client.build_request("GET", LIVE, params=parameters, headers=headers)

    def __enter__(self) -> "Stream":
        self.answer = self._client.send(self._request, stream=True)
        assert self.answer.status_code == 200, self.answer.read()
        self._messages = self._read()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.answer.close()
        self._client.close()

    def _read(self) -> Iterator[StreamMessage]:
        block = b""
        for line in self.answer.iter_lines():
            block += line.encode() + b"\n"
            if not line:
                yield from read_stream(block)
                block = b""

    def next(self, count: int = 1) -> list[StreamMessage]:
        return [next(self._messages) for _ in range(count)]

    def rest(self) -> list[StreamMessage]:
        """To the end of the stream, which must be a proper one."""
        return list(self._messages)


def ids(updates: list[StreamMessage]) -> list[int]:
    assert all(m.kind == "change" for m in updates), updates
    assert all(m.data.position == m.id for m in updates)
    return [m.id for m in updates]


def metric(server: Server, name: str) -> float:
    lines = server.get("/metrics").text.splitlines()
    return float(next(line for line in lines if line.startswith(name + " ")).split()[1])


# Following


def test_every_event_makes_an_update_with_its_position(server: Server) -> None:
    server.post(run_event(1))
    with Stream(server) as stream:
        assert stream.answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert stream.answer.headers["cache-control"] == "no-cache"
        assert stream.answer.headers["x-accel-buffering"] == "no"
        (hello,) = stream.next()
        assert (hello.kind, hello.id, hello.data.position) == ("hello", 1, 1)
        for number in (2, 3):
            position = int(server.post(run_event(number, "FAIL", run="r")).headers["Headwater-Position"])
            (update,) = stream.next()
            assert ids([update]) == [position]
        assert (update.data.run.state, update.data.run.before) == ("FAILED", "FAILED")
        assert server.post(run_event(3, "FAIL", run="r")).status_code == 201  # once more: no update
        server.post_batch([run_event(4, job="new"), job_event(5), dataset_event(6)])
        assert ids(batch := stream.next(3)) == [4, 5, 6]
        assert [n.nodeId for n in batch[0].data.addedNodes] == ["job:orders-pipeline:new"]


@pytest.mark.parametrize("by", ["header", "parameter"])
def test_whoever_comes_back_misses_nothing_and_hears_nothing_twice(server: Server, by: str) -> None:
    heard: list[StreamMessage] = []
    with Stream(server) as whole:
        whole.next()
        for number in range(100):
            assert server.post(run_event(number)).status_code == 201
            if number % 10 == 5:
                last = heard[-1].id if heard else 0
                again = {"last_id": last} if by == "header" else {"lastEventId": last}
                with Stream(server, **again) as stream:
                    heard += stream.next(number + 1 - last)
        with Stream(server, last_id=heard[-1].id) as stream:
            heard += stream.next(100 - len(heard))
        assert ids(heard) == list(range(1, 101))
        assert heard == whole.next(100)
    assert metric(server, "headwater_live_resyncs_total") == 0


def test_after_a_kill_a_subscriber_resyncs_and_goes_on(server: Server) -> None:
    with Stream(server) as stream:
        stream.next()
        server.post(run_event(1))
        assert ids(stream.next()) == [1]
        server.post(run_event(2))
        server.kill()
    server.start()
    with Stream(server, last_id=1) as stream:
        (resync,) = stream.next()
        assert (resync.kind, resync.id, resync.data.position) == ("resync", 2, 2)
        server.post(run_event(3))
        assert ids(stream.next()) == [3]
    with Stream(server, last_id=2) as stream:  # nothing was missed since
        assert ids(stream.next()) == [3]


# Who listens to what


def test_a_namespace_or_the_surroundings_of_a_node_can_be_selected(server: Server) -> None:
    server.post(run_event(0, job="ingest"))
    with (
        Stream(server, namespace=[KAFKA, "nobody"]) as of_kafka,
        Stream(server, namespace="s3a://warehouse") as of_lake,
        Stream(server, nodeId="job:orders-pipeline:ingest", depth=0) as around,
    ):
        for stream in (of_kafka, of_lake, around):
            assert stream.next()[0].kind == "hello"
        server.post(run_event(1, job="far", source=(LAKE, "other"), target=(LAKE, "far")))  # 2
        server.post(run_event(2, job="stats", source=(KAFKA, "orders"), target=(KAFKA, "stats")))  # 3
        server.post(run_event(3, job="far", source=(LAKE, "other"), target=(LAKE, "far")))  # 4
        server.post(run_event(4, job="ingest"))  # 5
        assert ids(of_kafka.next(2)) == [3, 5]
        assert ids(of_lake.next(3)) == [2, 4, 5]
        assert ids(around.next(2)) == [3, 5]


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"nodeId": "job:orders-pipeline:nobody"}, 404),
        ({"nodeId": "nobody"}, 400),
        ({"lastEventId": "-1"}, 400),
        ({"lastEventId": "soon"}, 400),
        ({"depth": "-1"}, 400),
    ],
)
def test_a_stream_that_makes_no_sense_is_refused(server: Server, parameters: dict[str, str], code: int) -> None:
    assert_error(server.get(LIVE, **parameters), code)


# Bad listeners


def small_events(first: int, count: int) -> list[dict[str, Any]]:
    """Events of one job with a name so long that the buffers of a connection are soon full."""
    event = job_event(job="quiet " + "x" * 1000)
    event |= {"inputs": [], "outputs": []}
    return [{**event, "eventTime": f"2026-11-01T00:00:00.{n:06}Z"} for n in range(first, first + count)]


def post_many(server: Server, count: int) -> None:
    for first in range(0, count, 1000):
        assert server.post_batch(small_events(first, 1000)).status_code == 204


def test_who_does_not_read_has_to_resync_and_holds_up_nobody(server: Server) -> None:
    beyond = RING_EVENTS + 15_000  # what the ring holds, and what gets stuck on the way
    with Stream(server) as slow, Stream(server) as quick, ThreadPoolExecutor(1) as thread:
        quick.next()
        posting = thread.submit(post_many, server, beyond)
        assert ids(quick.next(beyond)) == list(range(1, beyond + 1))
        posting.result()
        messages = slow.next()
        while messages[-1].kind != "resync":
            messages += slow.next()
        hello, *before, resync = messages
        assert (hello.kind, hello.id) == ("hello", 0)
        assert ids(before) == list(range(1, len(before) + 1))
        assert resync.data.position == beyond
        server.post(run_event(1))
        assert ids(slow.next()) == [beyond + 1]
        assert ids(quick.next()) == [beyond + 1]
        assert metric(server, "headwater_live_resyncs_total") == 1


def test_hundreds_who_come_and_go_leave_nothing_behind(server: Server) -> None:
    for number in range(2):
        with ExitStack() as stack:
            streams = [stack.enter_context(Stream(server)) for _ in range(200)]
            assert metric(server, "headwater_live_subscribers") == 200
            server.post(run_event(number))
            for stream in streams[100:]:
                assert [m.kind for m in stream.next(2)] == ["hello", "change"]
        wait_for(lambda: metric(server, "headwater_live_subscribers") == 0, "all to be gone")
    assert "Traceback" not in server.output()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
def test_a_stop_ends_all_streams(server: Server, number: int) -> None:
    with Stream(server) as one, Stream(server, namespace="nobody") as other:
        one.next(), other.next()
        server.post(run_event(1))
        one.next()
        assert server.signal(number) == 0
        assert one.rest() == other.rest() == []
    assert "Traceback" not in server.output()


def test_a_stop_does_not_wait_for_a_stream_that_nobody_reads(make_server: MakeServer) -> None:
    server = make_server().start()
    with Stream(server), Stream(server) as reading:
        reading.next()
        post_many(server, 15_000)
        assert ids(reading.next(15_000))
        server.stop()
        assert reading.rest() == []
    assert "Traceback" not in server.output()


# Read your own writes


def test_a_question_waits_for_the_position_of_a_write(server: Server) -> None:
    position = server.post(run_event(1)).headers["Headwater-Position"]
    batch = server.post_batch([run_event(2, job="two"), run_event(3, job="three")])
    assert (position, batch.headers["Headwater-Position"]) == ("1", "3")
    response = server.client.get("/api/v1/jobs", headers={"Headwater-Position": "3"})
    assert {job["name"] for job in response.json()["jobs"]} == {"orders_to_lake", "two", "three"}
    with ThreadPoolExecutor(1) as thread:
        waits = thread.submit(httpx.get, f"{server.url}/api/v1/jobs", headers={"Headwater-Position": "4"})
        assert server.post(run_event(4, job="four")).headers["Headwater-Position"] == "4"
        assert waits.result().json()["totalCount"] == 4


def test_a_position_that_does_not_come_is_answered_with_503(make_server: MakeServer) -> None:
    server = make_server(env={"HEADWATER_POSITION_SECONDS": "0.1"}).start()
    refused = server.client.get("/api/v1/jobs", headers={"Headwater-Position": "1"})
    assert "position 1" in assert_error(refused, 503)["message"]
    assert refused.headers["Retry-After"] == "1"


@pytest.mark.parametrize("text", ["soon", "-1", "1.0", "", "9" * 30, "१"])
def test_what_is_no_position_is_refused(shared_server: Server, text: str) -> None:
    refused = shared_server.client.get("/healthz", headers={b"Headwater-Position": text.encode()})
    assert_error(refused, 400)
