"""Clients that stall, vanish, crowd or lie about the time: the server goes on for the others."""

import json
import os
import resource
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from headwater.ids import Micros, Position
from headwater.openlineage.event import decode
from headwater.store.sqlite.log import SqliteLog
from tests.integration.samples import JOBS, LAKE, run_event, run_ids
from tests.support.server import EVENT, EVENTS, PATIENCE, MakeServer, Server, wait_for

# Others must be served at once meanwhile. It is far less than any of the patience limits.
_SOON = 5.0


@contextmanager
def connected(server: Server) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as client:
        yield client


@contextmanager
def crowd(server: Server, count: int) -> Iterator[None]:
    """Connections that say nothing."""
    with ExitStack() as clients:
        for _ in range(count):
            clients.enter_context(connected(server))
        yield


def request(body: bytes, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return b"POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n" % (EVENT.encode(), size) + body


def answer_or_end(client: socket.socket) -> bytes:
    """All that the server says until it closes the connection or has answered."""
    try:
        return client.recv(65536)
    except ConnectionError:
        return b""


def still_serves(server: Server, number: int) -> None:
    started = time.monotonic()
    event = run_event(number)
    assert server.post(event).status_code == 201
    assert run_ids([event])[0] in run_ids(server.events())
    assert time.monotonic() - started < _SOON


def open_files(server: Server) -> int:
    return len(os.listdir(f"/proc/{server.pid}/fd"))


# Bodies and headers that do not come


def test_half_a_body_and_then_a_disconnect(server: Server) -> None:
    still_serves(server, 0)
    files = open_files(server)
    body = json.dumps(run_event()).encode()
    for _ in range(50):
        with connected(server) as client:
            client.sendall(request(body[: len(body) // 2], len(body)))
    still_serves(server, 1)
    assert server.total() == 2
    wait_for(lambda: open_files(server) <= files + 5, "the connections to be closed")


def test_half_a_body_and_then_silence(make_server: MakeServer) -> None:
    server = make_server(env={"HEADWATER_BODY_SECONDS": "1"}).start()
    with connected(server) as client:
        client.sendall(request(b'{"eventTime"', 1000))
        still_serves(server, 0)
        response = answer_or_end(client)
        assert not response or response.split()[1] in (b"400", b"408")
    still_serves(server, 1)
    assert server.total() == 2


def test_a_body_that_drips_is_not_waited_for_without_end(make_server: MakeServer) -> None:
    server = make_server(env={"HEADWATER_BODY_SECONDS": "1"}).start()
    with connected(server) as client:
        client.sendall(request(b"{", 1000))
        client.settimeout(0.1)
        ended = wait_for(lambda: _drip(client, b" "), "the server to give up")
        assert ended == "ended" or ended.split()[1] in (b"400", b"408")
    still_serves(server, 0)


def test_headers_that_drip_are_not_waited_for_without_end(make_server: MakeServer) -> None:
    server = make_server(env={"HEADWATER_HEADER_SECONDS": "1"}).start()
    with connected(server) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n")
        client.settimeout(0.1)
        ended = wait_for(lambda: _drip(client, b"x: y\r\n"), "the server to give up")
        assert ended == "ended" or ended.startswith(b"HTTP/1.1 4")
    still_serves(server, 0)


def _drip(client: socket.socket, piece: bytes) -> bytes | str | None:
    """Sends a little more; what the server says, `ended`, or None when it is still waiting."""
    try:
        client.sendall(piece)
        return client.recv(65536) or "ended"
    except TimeoutError:
        return None
    except ConnectionError:
        return "ended"


@pytest.mark.parametrize(
    "payload",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,
        b"hello\r\n\r\n",
        b"GET / HTTP/1.1\r\nx: " + b"y" * (1 << 20),
    ],
    ids=["TLS", "no HTTP", "endless header"],
)
def test_what_is_no_http_is_turned_away(shared_server: Server, payload: bytes) -> None:
    with connected(shared_server) as client:
        try:
            client.sendall(payload + b"\r\n\r\n")
        except ConnectionError:
            return
        response = answer_or_end(client)
        assert not response or response.startswith(b"HTTP/1.1 4")
    assert shared_server.json("/healthz")["status"] == "ok"


# Crowds


def test_thousands_of_idle_connections_keep_nobody_out(make_server: MakeServer) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        server = make_server(env={"HEADWATER_HEADER_SECONDS": "60"}).start()
        with crowd(server, min(3000, hard // 2)):
            for number in range(5):
                server.close_client()  # a new connection each time
                still_serves(server, number)
        still_serves(server, 10)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_idle_connections_end_in_time(make_server: MakeServer) -> None:
    server = make_server(env={"HEADWATER_HEADER_SECONDS": "1"}).start()
    files = open_files(server)
    with crowd(server, 200):
        wait_for(lambda: open_files(server) <= files + 5, "the server to close them")
    still_serves(server, 0)


def test_many_readers_at_once_all_get_whole_answers(server: Server) -> None:
    sent = [run_event(number, job=f"job_{number % 20}") for number in range(300)]
    assert server.post_batch(sent).status_code == 204
    paths = (f"{EVENTS}?limit=300&sortDirection=asc", "/api/v1/jobs", f"/api/v1/lineage?nodeId=dataset:{LAKE}:orders")
    expected = {path: server.json(path) for path in paths}
    assert expected[paths[0]]["events"] == sent

    def read(number: int) -> list[str]:
        with httpx.Client(base_url=server.url, timeout=PATIENCE, trust_env=False) as client:
            answers = [(path, client.get(path)) for path in paths * 10]
        return [f"{path}: {a.status_code}" for path, a in answers if a.status_code != 200 or a.json() != expected[path]]

    with ThreadPoolExecutor(8) as readers:
        wrong = [problem for problems in readers.map(read, range(8)) for problem in problems]
    assert not wrong
    assert server.is_running()


def test_clients_that_leave_before_the_answer(server: Server) -> None:
    for number in range(100):
        with connected(server) as client:
            client.sendall(request(json.dumps(run_event(number)).encode()))
    for _ in range(20):
        with connected(server) as client:
            client.sendall(b"GET /api/v1/events/lineage?limit=1000 HTTP/1.1\r\nhost: localhost\r\n\r\n")
    still_serves(server, 1000)
    ids = run_ids(server.events())
    assert len(ids) == len(set(ids)) <= 101
    assert "Traceback" not in server.output()


# Questions that would take for ever


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("/api/v1/column-lineage", {"nodeId": f"dataset:{LAKE}:orders", "depth": 1 << 31, "withDownstream": "true"}),
        ("/api/v1/lineage", {"nodeId": f"job:{JOBS}:orders_to_lake", "depth": 1 << 31, "direction": "both"}),
        ("/api/v1/lineage", {"nodeId": "dataset:" + ":" * 20_000}),
        ("/api/v1/column-lineage", {"nodeId": "datasetField:" + ":" * 20_000}),
        ("/api/v1/namespaces/" + "n" * 20_000, {}),
        (EVENTS, {"offset": 1 << 53}),
    ],
    ids=["deep columns", "deep", "colons", "colons of a column", "long name", "far offset"],
)
def test_no_question_holds_up_the_others(shared_server: Server, path: str, parameters: dict[str, object]) -> None:
    shared_server.post(run_event())
    started = time.monotonic()
    assert shared_server.get(path, **parameters).status_code in (200, 400, 404, 414)
    assert time.monotonic() - started < _SOON


# Clocks


def test_events_from_far_away_in_time_are_kept_in_the_order_of_their_arrival(server: Server) -> None:
    times = ["2026-11-15T00:00:00Z", "0001-01-02T00:00:00Z", "9999-12-30T00:00:00Z", "1969-07-20T20:17:40Z"]
    sent = [run_event(n) | {"eventTime": at} for n, at in enumerate(times)]
    positions = [int(server.post(event).headers["headwater-position"]) for event in sent]
    assert positions == [1, 2, 3, 4]
    by_time = [event["eventTime"] for event in server.restart().events()]
    assert by_time == sorted(times)
    job = server.json("/api/v1/namespaces/orders-pipeline/jobs/orders_to_lake")
    assert (job["createdAt"], job["updatedAt"]) == ("0001-01-02T00:00:00Z", "9999-12-30T00:00:00Z")
    assert server.post(run_event(5)).headers["headwater-position"] == "5"


def test_the_log_keeps_its_order_when_the_clock_goes_back(tmp_path: Path) -> None:
    clock = [Micros(1_000_000), Micros(10), Micros(-5), Micros(1_000_000), Micros(1 << 60)]
    log = SqliteLog(tmp_path)
    for number, received in enumerate(clock):
        event = decode(json.dumps(run_event(number)).encode())
        assert [a.position for a in log.append([event], received)] == [number + 1]
        assert log.append([event], Micros(0))[0].duplicate
    log.close()
    log = SqliteLog(tmp_path)
    assert [(e.position, e.received) for e in log.read(Position(0))] == list(enumerate(clock, 1))
    assert log.last() == len(clock)
    log.close()
