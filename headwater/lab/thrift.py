"""Just enough of Thrift's binary protocol to ask a Hive Metastore: calls with texts as arguments, any answer."""

import socket
import struct
from typing import Any

_CALL, _REPLY = 0x80010001, 0x80010002
_TEXT, _STRUCT, _MAP, _SET, _LIST = 11, 12, 13, 14, 15
_NUMBERS = {2: ">?", 3: ">b", 4: ">d", 6: ">h", 8: ">i", 10: ">q"}
_LARGEST = 1 << 20  # an answer with more bytes, or more things in a list, is not one
_DEEPEST = 32


class Odd(Exception):
    """Whoever answered does not speak Thrift, or says that it failed."""


def call(connection: socket.socket, method: str, *arguments: str) -> Any:
    """What the method returns; structs are dicts by field number. None where it raises an exception of its own."""
    words = b"".join(struct.pack(">bh", _TEXT, number) + _text(word) for number, word in enumerate(arguments, 1))
    connection.sendall(struct.pack(">I", _CALL) + _text(method) + struct.pack(">i", 1) + words + b"\0")
    with connection.makefile("rb") as stream:
        reader = _Reader(stream)
        if reader.number(">I") != _REPLY:
            raise Odd(f"{method} ends with an error")
        reader.text()
        reader.number(">i")
        return reader.value(_STRUCT).get(0)


def _text(word: str) -> bytes:
    body = word.encode()
    return struct.pack(">i", len(body)) + body


class _Reader:
    def __init__(self, stream: Any) -> None:
        self._stream, self._left = stream, _LARGEST

    def value(self, kind: int, depth: int = 0) -> Any:
        if depth > _DEEPEST:
            raise Odd("answers in some other protocol")
        if kind in _NUMBERS:
            return self.number(_NUMBERS[kind])
        if kind == _TEXT:
            return self.text()
        if kind in (_LIST, _SET):
            of, count = self.number(">b"), self.count()
            return [self.value(of, depth + 1) for _ in range(count)]
        if kind == _MAP:
            keys, values, count = self.number(">b"), self.number(">b"), self.count()
            return {self.value(keys, depth + 1): self.value(values, depth + 1) for _ in range(count)}
        if kind == _STRUCT:
            found: dict[int, Any] = {}
            while field := self.number(">b"):
                number = self.number(">h")
                found[number] = self.value(field, depth + 1)
            return found
        raise Odd("answers in some other protocol")

    def number(self, shape: str) -> Any:
        return struct.unpack(shape, self._take(struct.calcsize(shape)))[0]

    def text(self) -> str:
        return self._take(self.count()).decode(errors="replace")

    def count(self) -> int:
        count: int = self.number(">i")
        if not 0 <= count <= self._left:
            raise Odd("answers in some other protocol")
        return count

    def _take(self, count: int) -> bytes:
        self._left -= count
        if self._left < 0:
            raise Odd("the answer does not end")
        found: bytes = self._stream.read(count)
        if len(found) < count:
            raise EOFError("hangs up")
        return found
