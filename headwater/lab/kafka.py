"""Just enough of Kafka's protocol to check a broker: a lab needs no Kafka client library for that."""

import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_METADATA, _LIST_OFFSETS = 3, 2
_CLIENT = b"headwater"
_MOST_BYTES = 1 << 20  # a longer answer is not one of Kafka's
_TIMEOUT = 5.0

LATEST, EARLIEST = -1, -2


class ProtocolError(Exception):
    """The answer is not that of a Kafka broker."""


@dataclass(frozen=True)
class Metadata:
    brokers: int
    controller: int
    """-1 while there is none."""
    partitions: Mapping[str, Sequence[int]]
    """Of the requested topics that exist."""


def metadata(host: str, port: int, *topics: str) -> Metadata:
    # Version 4: older versions create the topics that they are asked for, newer ones have another encoding.
    names = b"".join(map(_text, topics))
    answer = _ask(host, port, _METADATA, 4, struct.pack(">i", len(topics)) + names + b"\0")
    answer.take(">i")  # throttling
    brokers = answer.one(">i")
    for _ in range(brokers):
        answer.take(">i")
        answer.text()
        answer.take(">i")
        answer.text()
    answer.text()  # the cluster's id
    controller = answer.one(">i")
    partitions = {}
    for _ in range(answer.one(">i")):
        error, name, _ = answer.one(">h"), answer.text(), answer.take(">?")
        numbers = [_partition(answer) for _ in range(answer.one(">i"))]
        if not error:
            partitions[name] = numbers
    return Metadata(brokers, controller, partitions)


class Offset(NamedTuple):
    offset: int
    """-1 if there is no such record."""
    timestamp: int
    """Milliseconds."""


def offsets(host: str, port: int, topic: str, since: int) -> dict[int, Offset]:
    """By partition: the first record since a time (ms), or the end (LATEST) or start (EARLIEST) of the partition.
    Empty if the topic does not exist."""
    numbers = metadata(host, port, topic).partitions.get(topic, ())
    if not numbers:
        return {}
    partitions = b"".join(struct.pack(">iq", number, since) for number in numbers)
    body = struct.pack(">ii", -1, 1) + _text(topic) + struct.pack(">i", len(numbers)) + partitions
    answer = _ask(host, port, _LIST_OFFSETS, 1, body)
    answer.take(">i")
    answer.text()
    by_partition = {}
    for _ in range(answer.one(">i")):
        number, error, timestamp, offset = answer.take(">ihqq")
        if error:
            raise ProtocolError(f"partition {number} of {topic} answers with error {error}")
        by_partition[number] = Offset(offset, timestamp)
    return by_partition


def first_since(host: str, port: int, topic: str, since: float) -> float | None:
    """The timestamp in seconds of the first record since a time; None if there is none."""
    firsts = offsets(host, port, topic, int(since * 1000)).values()
    return min((first.timestamp / 1000 for first in firsts if first.offset >= 0), default=None)


def records(host: str, port: int, topic: str) -> int:
    """How many records the topic has now."""
    ends, starts = (offsets(host, port, topic, when).values() for when in (LATEST, EARLIEST))
    return sum(end.offset for end in ends) - sum(start.offset for start in starts)


def _partition(answer: "_Reader") -> int:
    _, number, _ = answer.take(">hii")
    for _ in range(2):  # replicas, and those in sync
        answer.take(f">{answer.one('>i')}i")
    return number


def _ask(host: str, port: int, key: int, version: int, body: bytes) -> "_Reader":
    head = struct.pack(f">hhih{len(_CLIENT)}s", key, version, 1, len(_CLIENT), _CLIENT)
    with socket.create_connection((host, port), timeout=_TIMEOUT) as connection:
        connection.sendall(struct.pack(">i", len(head) + len(body)) + head + body)
        with connection.makefile("rb") as stream:
            length = int.from_bytes(_exactly(stream.read(4), 4), signed=True)
            if not 0 <= length <= _MOST_BYTES:
                raise ProtocolError("answers in another protocol")
            answer = _Reader(_exactly(stream.read(length), length))
    answer.take(">i")  # correlation id
    return answer


def _exactly(data: bytes, count: int) -> bytes:
    if len(data) < count:
        raise EOFError("closes the connection")
    return data


def _text(text: str) -> bytes:
    body = text.encode()
    return struct.pack(">h", len(body)) + body


class _Reader:
    def __init__(self, body: bytes) -> None:
        self.body, self.at = body, 0

    def take(self, shape: str) -> tuple[int, ...]:
        values = struct.unpack_from(shape, self.body, self.at)
        self.at += struct.calcsize(shape)
        return values

    def one(self, shape: str) -> int:
        return self.take(shape)[0]

    def text(self) -> str:
        length = max(0, self.one(">h"))  # -1 is null
        self.at += length
        return self.body[self.at - length : self.at].decode(errors="replace")
