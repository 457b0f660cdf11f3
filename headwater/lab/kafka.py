"""Just enough of Kafka's protocol to ask a broker what it knows: no client library is needed to look at a lab."""

import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_METADATA, _LIST_OFFSETS = 3, 2
_CLIENT = b"headwater"
_LARGEST = 1 << 20  # an answer of more bytes than this is not one
_TIMEOUT = 5.0

LATEST, EARLIEST = -1, -2


class Odd(Exception):
    """Whoever answered is no Kafka broker."""


@dataclass(frozen=True)
class Metadata:
    brokers: int
    controller: int
    """-1 while there is none."""
    partitions: Mapping[str, Sequence[int]]
    """Of the topics that were asked for and that exist."""


def metadata(host: str, port: int, *topics: str) -> Metadata:
    # Version 4: older ones cannot leave topics out and make those that they are asked for, newer ones have another
    # encoding.
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
    found = {}
    for _ in range(answer.one(">i")):
        error, name, _ = answer.one(">h"), answer.text(), answer.take(">?")
        numbers = [_partition(answer) for _ in range(answer.one(">i"))]
        if not error:
            found[name] = numbers
    return Metadata(brokers, controller, found)


class Place(NamedTuple):
    offset: int
    """-1 where there is no such record."""
    timestamp: int
    """Milliseconds."""


def places(host: str, port: int, topic: str, since: int) -> dict[int, Place]:
    """By partition: the first record of a time (ms) or later; or where the next one will be (LATEST), or where the
    first one is (EARLIEST). Empty where the topic is not there."""
    numbers = metadata(host, port, topic).partitions.get(topic, ())
    if not numbers:
        return {}
    wanted = b"".join(struct.pack(">iq", number, since) for number in numbers)
    body = struct.pack(">ii", -1, 1) + _text(topic) + struct.pack(">i", len(numbers)) + wanted
    answer = _ask(host, port, _LIST_OFFSETS, 1, body)
    answer.take(">i")
    answer.text()
    found = {}
    for _ in range(answer.one(">i")):
        number, error, timestamp, offset = answer.take(">ihqq")
        if error:
            raise Odd(f"partition {number} of {topic} answers with error {error}")
        found[number] = Place(offset, timestamp)
    return found


def first_since(host: str, port: int, topic: str, since: float) -> float | None:
    """When the first record since a time was written, in seconds as that time is; None if there is none."""
    found = places(host, port, topic, int(since * 1000)).values()
    return min((place.timestamp / 1000 for place in found if place.offset >= 0), default=None)


def records(host: str, port: int, topic: str) -> int:
    """How many there are now."""
    ends, starts = (places(host, port, topic, when).values() for when in (LATEST, EARLIEST))
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
            if not 0 <= length <= _LARGEST:
                raise Odd("answers in some other protocol")
            answer = _Reader(_exactly(stream.read(length), length))
    answer.take(">i")  # which request
    return answer


def _exactly(found: bytes, count: int) -> bytes:
    if len(found) < count:
        raise EOFError("hangs up")
    return found


def _text(word: str) -> bytes:
    body = word.encode()
    return struct.pack(">h", len(body)) + body


class _Reader:
    def __init__(self, body: bytes) -> None:
        self.body, self.at = body, 0

    def take(self, shape: str) -> tuple[int, ...]:
        found = struct.unpack_from(shape, self.body, self.at)
        self.at += struct.calcsize(shape)
        return found

    def one(self, shape: str) -> int:
        return self.take(shape)[0]

    def text(self) -> str:
        length = max(0, self.one(">h"))  # -1 is no text at all
        self.at += length
        return self.body[self.at - length : self.at].decode(errors="replace")
