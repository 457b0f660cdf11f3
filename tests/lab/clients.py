"""Clients of the services that nobody here wrote, and a few bytes of Thrift where there is no small one."""

import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from confluent_kafka import Consumer, KafkaError, Producer
from confluent_kafka.schema_registry import SchemaRegistryClient

from headwater.lab import s3
from tests.support.lab import Lab
from tests.support.server import wait_for


def produce(lab: Lab, topic: str, *values: bytes, at: float | None = None) -> None:
    """Now, or as if it had been then."""
    producer = Producer({"bootstrap.servers": lab.url("kafka")})
    for value in values:
        producer.produce(topic, value, timestamp=int((at or time.time()) * 1000))
    assert producer.flush(60) == 0


def consume(lab: Lab, topic: str, count: int) -> list[bytes]:
    consumer = Consumer(
        {"bootstrap.servers": lab.url("kafka"), "group.id": f"test-{topic}", "auto.offset.reset": "earliest"}
        | {"enable.auto.commit": False}
    )
    consumer.subscribe([topic])
    messages: list[bytes] = []

    def enough() -> bool:
        message = consumer.poll(1)
        if message is not None and message.error() is None:
            messages.append(message.value())
        # Whoever writes to it may not have made the topic yet.
        elif message is not None and message.error().code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise AssertionError(message.error())
        return len(messages) >= count

    try:
        wait_for(enough, f"{count} messages in {topic}", 120)
        return messages
    finally:
        consumer.close()


def store(lab: Lab, method: str, path: str, body: bytes = b"", secret: str | None = None) -> httpx.Response:
    keys = lab.state()["values"]
    return s3.request(method, lab.url("s3"), path, key=keys["s3-key"], secret=secret or keys["s3-secret"], body=body)


@contextmanager
def schemas(lab: Lab) -> Iterator[Any]:
    with SchemaRegistryClient({"url": lab.url("registry")}) as client:
        yield client


def create_database(lab: Lab, name: str) -> None:
    """`create_database(Database(name))` of the Hive Metastore."""
    word, method = name.encode(), b"create_database"
    database = struct.pack(f">bhi{len(word)}sb", 11, 1, len(word), word, 0)
    call = struct.pack(f">Ii{len(method)}sibh", 0x80010001, len(method), method, 1, 12, 1) + database + b"\0"
    with socket.create_connection(("127.0.0.1", int(lab.state()["ports"]["metastore"])), timeout=60) as connection:
        connection.sendall(call)
        answer = connection.recv(65536)
    assert answer[:4] == b"\x80\x01\0\x02", answer
    assert answer[-1:] == b"\0", answer
    assert len(answer) == 4 + 4 + len(method) + 4 + 1, answer  # no exception in it
