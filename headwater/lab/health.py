"""Questions that only a working service can answer. A check returns when the answer is right, else it raises."""

import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import httpx

from headwater.lab import s3

_TIMEOUT = 5.0
_LARGEST = 1 << 20  # an answer of more bytes than this is not one


class Unwell(Exception):
    """The service is not, or not yet, what it should be."""


class Check(Protocol):
    def __call__(self, values: Mapping[str, str]) -> None:
        """`values` has the host, the ports by name, and keys."""
        ...


def ask(check: Check, values: Mapping[str, str]) -> str | None:
    """What is wrong, in words; None when all is well."""
    try:
        check(values)
    except (Unwell, OSError, httpx.HTTPError, EOFError, struct.error) as e:
        return str(e) or type(e).__name__
    return None


@dataclass(frozen=True)
class Http:
    port: str
    path: str

    def __call__(self, values: Mapping[str, str]) -> None:
        url = f"http://{values['host']}:{values[self.port]}{self.path}"
        answer = httpx.get(url, timeout=_TIMEOUT, trust_env=False)
        if answer.status_code != httpx.codes.OK:
            raise Unwell(f"{self.path} answers {answer.status_code}")
        if not answer.headers.get("content-type", "").startswith(("application/json", "application/vnd.")):
            raise Unwell(f"{self.path} answers, but not with JSON")


@dataclass(frozen=True)
class S3Bucket:
    """The bucket is there for whoever has the key."""

    port: str
    bucket: str

    def __call__(self, values: Mapping[str, str]) -> None:
        endpoint = f"http://{values['host']}:{values[self.port]}"
        key, secret = values["s3-key"], values["s3-secret"]
        answer = s3.request("GET", endpoint, f"/{self.bucket}", key=key, secret=secret, timeout=_TIMEOUT)
        if answer.status_code != httpx.codes.OK:
            raise Unwell(f"bucket {self.bucket} answers {answer.status_code}")


@dataclass(frozen=True)
class KafkaMetadata:
    """The broker knows itself and a controller: topics can be made."""

    port: str

    def __call__(self, values: Mapping[str, str]) -> None:
        # Metadata, version 4, of no topic. Older versions cannot leave topics out, newer ones have another encoding.
        client = b"headwater"
        body = struct.pack(f">hhih{len(client)}si?", 3, 4, 1, len(client), client, 0, False)
        with _connect(values, self.port) as connection:
            connection.sendall(struct.pack(">i", len(body)) + body)
            answer = _Reader(_exactly(connection, _length(connection)))
        answer.take(">ii")  # which request, and throttling
        brokers = answer.one(">i")
        for _ in range(brokers):
            answer.take(">i")
            answer.text(">h")
            answer.take(">i")
            answer.text(">h")
        answer.text(">h")
        if brokers < 1 or answer.one(">i") < 0:
            raise Unwell("the broker has no controller yet")


@dataclass(frozen=True)
class ThriftCall:
    """A method without arguments that returns a list of names, in Thrift's binary protocol."""

    port: str
    method: str
    among: str

    def __call__(self, values: Mapping[str, str]) -> None:
        name = self.method.encode()
        with _connect(values, self.port) as connection:
            connection.sendall(struct.pack(f">Ii{len(name)}sib", 0x80010001, len(name), name, 1, 0))
            kind, length = struct.unpack(">Ii", _exactly(connection, 8))
            _exactly(connection, min(length, _LARGEST) + 4)
            if kind != 0x80010002:
                raise Unwell(f"{self.method} ends with an error")
            field, number = struct.unpack(">bh", _exactly(connection, 3))
            element, count = struct.unpack(">bi", _exactly(connection, 5)) if (field, number) == (15, 0) else (0, 0)
            names = [_exactly(connection, _length(connection)).decode() for _ in range(count)] if element == 11 else []
        if self.among not in names:
            raise Unwell(f"{self.method} does not name {self.among}")


def _connect(values: Mapping[str, str], port: str) -> socket.socket:
    return socket.create_connection((values["host"], int(values[port])), timeout=_TIMEOUT)


def _length(connection: socket.socket) -> int:
    length: int = struct.unpack(">i", _exactly(connection, 4))[0]
    if not 0 <= length <= _LARGEST:
        raise Unwell("answers in some other protocol")
    return length


def _exactly(connection: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        part = connection.recv(count - len(found))
        if not part:
            raise EOFError("hangs up")
        found += part
    return found


class _Reader:
    def __init__(self, body: bytes) -> None:
        self.body, self.at = body, 0

    def take(self, shape: str) -> tuple[int, ...]:
        found = struct.unpack_from(shape, self.body, self.at)
        self.at += struct.calcsize(shape)
        return found

    def one(self, shape: str) -> int:
        return self.take(shape)[0]

    def text(self, shape: str) -> None:
        length = self.one(shape)
        self.at += max(0, length)  # -1 is no text at all
