"""The number of rows of a Parquet file, from its footer: the lab has nothing else that reads one without Spark."""

from io import BytesIO
from typing import Any

_ROWS = 3  # FileMetaData.num_rows
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12


def rows(file: bytes) -> int:
    """The footer is a struct in Thrift's compact protocol, with its length and a mark behind it."""
    if file[-4:] != b"PAR1":
        raise ValueError("not a Parquet file")
    length = int.from_bytes(file[-8:-4], "little")
    count: int = _Compact(file[-8 - length : -8]).struct()[_ROWS]
    return count


class _Compact:
    def __init__(self, body: bytes) -> None:
        self._stream = BytesIO(body)

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while head := self._stream.read(1)[0]:
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            kind = head & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._stream.read(1)[0]
        if kind == _DOUBLE:
            return self._stream.read(8)
        if kind == _BINARY:
            return self._stream.read(self._varint())
        if kind in (_LIST, _SET):
            head = self._stream.read(1)[0]
            count = self._varint() if head >> 4 == 15 else head >> 4
            return [self._value(head & 15) for _ in range(count)]
        if kind == _MAP:
            count = self._varint()
            kinds = self._stream.read(1)[0] if count else 0
            return [(self._value(kinds >> 4), self._value(kinds & 15)) for _ in range(count)]
        if kind == _STRUCT:
            return self.struct()
        return self._zigzag()

    def _varint(self) -> int:
        number = shift = 0
        while True:
            byte = self._stream.read(1)[0]
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    def _zigzag(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)
