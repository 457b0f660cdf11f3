"""Just enough of Thrift's binary protocol to ask a Hive Metastore: calls with string arguments and any result."""

import socket
import struct
from typing import Any

_CALL, _REPLY = 0x80010001, 0x80010002
_TEXT, _STRUCT, _MAP, _SET, _LIST = 11, 12, 13, 14, 15
_NUMBERS = {2: ">?", 3: ">b", 4: ">d", 6: ">h", 8: ">i", 10: ">q"}
_MOST_BYTES = 1 << 20  # a longer answer, or a longer list, is not one of Thrift's
_DEEPEST = 32


class ProtocolError(Exception):
    """The answer is not Thrift, or an error."""


def call(connection: socket.socket, method: str, *arguments: str) -> Any:
    """The result; structs are dicts by field number. None if the method raises an exception of its own."""
    fields = b"".join(struct.pack(">bh", _TEXT, number) + _text(text) for number, text in enumerate(arguments, 1))
    connection.sendall(struct.pack(">I", _CALL) + _text(method) + struct.pack(">i", 1) + fields + b"\0")
    with connection.makefile("rb") as stream:
        reader = _Reader(stream)
        if reader.number(">I") != _REPLY:
            raise ProtocolError(f"{method} failed")
        reader.text()
        reader.number(">i")
        return reader.value(_STRUCT).get(0)


def _text(text: str) -> bytes:
    body = text.encode()
    return struct.pack(">i", len(body)) + body


class _Reader:
    def __init__(self, stream: Any) -> None:
        self._stream, self._left = stream, _MOST_BYTES

    def value(self, kind: int, depth: int = 0) -> Any:
        if depth > _DEEPEST:
            raise ProtocolError("answers in another protocol")
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
            fields: dict[int, Any] = {}
            while field_kind := self.number(">b"):
                number = self.number(">h")
                fields[number] = self.value(field_kind, depth + 1)
            return fields
        raise ProtocolError("answers in another protocol")

    def number(self, shape: str) -> Any:
        return struct.unpack(shape, self._take(struct.calcsize(shape)))[0]

    def text(self) -> str:
        return self._take(self.count()).decode(errors="replace")

    def count(self) -> int:
        count: int = self.number(">i")
        if not 0 <= count <= self._left:
            raise ProtocolError("answers in another protocol")
        return count

    def _take(self, count: int) -> bytes:
        self._left -= count
        if self._left < 0:
            raise ProtocolError("the answer does not end")
        data: bytes = self._stream.read(count)
        if len(data) < count:
            raise EOFError("closes the connection")
        return data
