"""Messages between two processes over a socket, through memory that both of them map.

A socket takes a fifth of a megabyte at a time, so a long message would need both ends again and again,
and be copied twice at each. Here it lies in the shared memory, and only its length goes over the
socket. The buffer holds one message: a query is read before its result is written.
"""

import mmap
import os
import pickle
from typing import Any, NamedTuple

HEADER_BYTES = 8
_BYTES = 8 << 20  # longer messages, which are rare, go over the socket
_PROTOCOL = pickle.HIGHEST_PROTOCOL


class Header(NamedTuple):
    """Comes first over the socket: the length of a message, and how much of it follows."""

    length: int
    following: int  # all of it, or nothing where it lies in the buffer

    @classmethod
    def decode(cls, data: bytes | bytearray) -> "Header":
        value = int.from_bytes(data, "big")
        return cls(value >> 1, 0 if value & 1 else value >> 1)

    def encode(self) -> bytes:
        return (self.length << 1 | (not self.following)).to_bytes(HEADER_BYTES, "big")


def create_buffer() -> int:
    """The descriptor of a file in memory, which lasts as long as somebody has it open."""
    fd = os.memfd_create("headwater")
    os.ftruncate(fd, _BYTES)
    return fd


class SharedBuffer:
    def __init__(self, fd: int) -> None:
        self._memory = mmap.mmap(fd, _BYTES)

    def write(self, message: object) -> bytes:
        """Returns what has to be sent over the socket."""
        self._memory.seek(0)
        try:
            pickle.dump(message, self._memory, _PROTOCOL)
        except ValueError:
            pickled = pickle.dumps(message, _PROTOCOL)
            if len(pickled) <= _BYTES:
                raise
            return Header(len(pickled), len(pickled)).encode() + pickled
        return Header(self._memory.tell(), 0).encode()

    def read(self, header: Header, following: bytes | memoryview) -> Any:
        """The message. Unpickling is safe: both ends are our own processes."""
        if header.following:
            return pickle.loads(following)  # noqa: S301
        with memoryview(self._memory) as memory, memory[: header.length] as message:
            return pickle.loads(message)  # noqa: S301

    def close(self) -> None:
        self._memory.close()
