"""Checks against things that are not the service: they must not pass. The services themselves: tests/lab."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headwater.lab import health
from headwater.lab.health import (
    Batches,
    Check,
    ConnectorsReported,
    ConnectorsRunning,
    Http,
    IcebergRows,
    KafkaMetadata,
    KafkaRecords,
    Postgres,
    S3Bucket,
    ThriftCall,
)
from tests.support.checkpoints import finish
from tests.support.server import free_port

CHECKS: list[Check] = [
    Http("port", "/"),
    KafkaMetadata("port"),
    S3Bucket("port", "warehouse"),
    KafkaRecords("port", "orders"),
    ThriftCall("port", "get_all_databases", "default"),
    Postgres("port"),
    IcebergRows("default", "orders"),
    ConnectorsRunning("port", ("orders-source",)),
    ConnectorsReported("port", "port", "orders"),
]
Answer = Callable[[bytes], int]


def values(port: int) -> dict[str, str]:
    keys = {"s3-key": "k", "s3-secret": "s", "started": "0"}
    return {"host": "127.0.0.1", **dict.fromkeys(("port", "metastore", "s3"), str(port)), **keys}


@pytest.fixture
def answering() -> Iterator[Answer]:
    """A server that answers every connection with the same bytes and hangs up."""
    servers: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def start(answer: bytes) -> int:
        server = socket.create_server(("127.0.0.1", 0))
        servers.append(server)

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)

        threads.append(threading.Thread(target=serve))
        threads[-1].start()
        port: int = server.getsockname()[1]
        return port

    yield start
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("check", CHECKS)
def test_nobody_listens(check: Check) -> None:
    assert "refused" in str(health.problem(check, values(free_port())))


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize(
    "answer",
    [b"", b"HTTP/1.1 503 Starting\r\ncontent-length: 0\r\n\r\n", b"\0\0\0\x08\0\0\0\x01\0\0\0\0", b"\xff" * 64],
)
def test_something_else_listens(check: Check, answer: bytes, answering: Answer) -> None:
    assert health.problem(check, values(answering(answer)))


def test_a_page_for_people_is_no_api(answering: Answer) -> None:
    page = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 0\r\n\r\n"
    assert health.problem(Http("port", "/x"), values(answering(page))) == "/x answers, but not with JSON"


def test_a_broker_without_a_controller_is_not_ready(answering: Answer) -> None:
    broker = b"\0\0\0\x01\0\x01h\0\0\0\x01\xff\xff"
    head = b"\0\0\0\x01\0\0\0\0\0\0\0\x01"
    without, with_controller = (
        head + broker + b"\0\x01c" + controller + b"\0\0\0\0" for controller in (b"\xff" * 4, b"\0\0\0\x01")
    )
    for body, problem in ((without, "the broker has no controller yet"), (with_controller, None)):
        port = answering(len(body).to_bytes(4) + body)
        assert health.problem(KafkaMetadata("port"), values(port)) == problem


def test_a_catalog_without_its_database_is_not_ready(answering: Answer) -> None:
    reply = b"\x80\x01\0\x02\0\0\0\x01m\0\0\0\x01\x0f\0\0\x0b\0\0\0\x01\0\0\0\x05sales\0"
    port = answering(reply)
    assert health.problem(ThriftCall("port", "m", "default"), values(port)) == "m does not list default"
    assert health.problem(ThriftCall("port", "m", "sales"), values(port)) is None


def test_a_database_that_starts_up_says_so(answering: Answer) -> None:
    body = b"SFATAL\0C57P03\0Mthe database system is starting up\0\0"
    port = answering(b"E" + (len(body) + 4).to_bytes(4) + body)
    assert health.problem(Postgres("port"), values(port)) == "the database system is starting up"
    assert health.problem(Postgres("port"), values(answering(b"R\0\0\0\x08\0\0\0\x0a"))) is None


def test_a_stream_is_well_when_each_query_has_finished_a_batch_since_the_start(tmp_path: Path) -> None:
    now = time.time()
    check = Batches("checkpoints", ("stats", "archive"), "port", "orders")
    started = {**values(free_port()), "folder": str(tmp_path), "started": str(now - 10)}
    assert health.problem(check, started) == "stats has not finished a batch yet"
    finish(tmp_path / "checkpoints/stats", 9, now - 4)
    finish(tmp_path / "checkpoints/archive", 7, now - 400)  # of the time before this start
    assert health.problem(check, started) == "archive has not finished a batch yet"
    finish(tmp_path / "checkpoints/archive", 10, now - 4)
    assert health.problem(check, started) is None
    assert health.problem(check, {**started, "started": str(now)}) == "stats has not finished a batch yet"


def connectors(**states: list[str]) -> bytes:
    """Connect's response: for each connector its own state and those of its tasks."""
    body = {
        name: {"status": {"connector": {"state": own}, "tasks": [{"state": state} for state in tasks]}}
        for name, (own, *tasks) in states.items()
    }
    encoded = json.dumps(body).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
        len(encoded),
        encoded,
    )


@pytest.mark.parametrize(
    ("states", "problem"),
    [
        (["RUNNING", "RUNNING"], None),
        (["RUNNING", "RUNNING", "FAILED"], "sink is FAILED"),
        (["PAUSED", "RUNNING"], "sink is PAUSED"),
        (["RUNNING"], "sink is UNASSIGNED"),
    ],
)
def test_a_connector_is_well_when_all_of_it_runs(answering: Answer, states: list[str], problem: str | None) -> None:
    port = answering(connectors(sink=states))
    assert health.problem(ConnectorsRunning("port", ("sink",)), values(port)) == problem
    assert health.problem(ConnectorsRunning("port", ("other",)), values(port)) == "other is missing"


def test_every_running_connector_must_be_reported(answering: Answer) -> None:
    # The same response to both requests: it is not a running job.
    port = answering(connectors(sink=["RUNNING", "RUNNING"]))
    message = "sink is RUNNING in Connect, but Headwater shows no running run"
    assert health.problem(ConnectorsReported("port", "port", "orders"), values(port)) == message
    assert (
        health.problem(ConnectorsReported("port", "port", "orders"), values(answering(connectors(sink=["STOPPED"]))))
        is None
    )
