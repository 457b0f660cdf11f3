"""Checks against things that are not the service: they must not pass. The services themselves: tests/lab."""

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from headwater.lab import health
from headwater.lab.health import Check, Http, KafkaMetadata, S3Bucket, ThriftCall
from tests.integration.support import free_port

CHECKS: list[Check] = [
    Http("port", "/"),
    KafkaMetadata("port"),
    S3Bucket("port", "warehouse"),
    ThriftCall("port", "get_all_databases", "default"),
]
Answer = Callable[[bytes], int]


def values(port: int) -> dict[str, str]:
    return {"host": "127.0.0.1", "port": str(port), "s3-key": "k", "s3-secret": "s"}


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
    assert "refused" in str(health.ask(check, values(free_port())))


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize(
    "answer",
    [b"", b"HTTP/1.1 503 Starting\r\ncontent-length: 0\r\n\r\n", b"\0\0\0\x08\0\0\0\x01\0\0\0\0", b"\xff" * 64],
)
def test_something_else_listens(check: Check, answer: bytes, answering: Answer) -> None:
    assert health.ask(check, values(answering(answer)))


def test_a_page_for_people_is_no_api(answering: Answer) -> None:
    page = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 0\r\n\r\n"
    assert health.ask(Http("port", "/x"), values(answering(page))) == "/x answers, but not with JSON"


def test_a_broker_without_a_controller_is_not_ready(answering: Answer) -> None:
    broker = b"\0\0\0\x01\0\x01h\0\0\0\x01\xff\xff"
    head = b"\0\0\0\x01\0\0\0\0\0\0\0\x01"
    lost, found = (head + broker + b"\0\x01c" + controller for controller in (b"\xff" * 4, b"\0\0\0\x01"))
    for body, said in ((lost, "the broker has no controller yet"), (found, None)):
        port = answering(len(body).to_bytes(4) + body)
        assert health.ask(KafkaMetadata("port"), values(port)) == said


def test_a_catalog_without_its_database_is_not_ready(answering: Answer) -> None:
    reply = b"\x80\x01\0\x02\0\0\0\x01m\0\0\0\x01\x0f\0\0\x0b\0\0\0\x01\0\0\0\x05sales\0"
    port = answering(reply)
    assert health.ask(ThriftCall("port", "m", "default"), values(port)) == "m does not name default"
    assert health.ask(ThriftCall("port", "m", "sales"), values(port)) is None
