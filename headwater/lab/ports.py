"""Ports for a lab: the usual ones if they are free, else others.

A file locks each port of a lab as long as the lab runs, so that two labs that start at the same moment do not
choose the same one before either listens.
"""

import fcntl
import os
import socket
from collections.abc import Mapping
from pathlib import Path

from headwater.errors import BadRequest, CannotStart

_TRIES = 100  # the system hands out free ports at random; another lab may have reserved a few


class Ports:
    """The ports that this lab has reserved. They are released when the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._locks: list[int] = []

    def choose(
        self, usual: Mapping[str, int], pinned: Mapping[str, int], previous: Mapping[str, int]
    ) -> dict[str, int]:
        """Pinned ports must be free. Then those of the last start are preferred, as dataset names contain them."""
        if unknown := pinned.keys() - usual.keys():
            raise BadRequest(f"no port {min(unknown)!r}; available: {', '.join(usual)}")
        self._folder.mkdir(parents=True, exist_ok=True)
        chosen: dict[str, int] = {}
        for name, port in pinned.items():
            if not self._take(port):
                raise CannotStart(f"port {port} for {name} is in use; choose another one with --ports {name}=…")
            chosen[name] = port
        for name in usual.keys() - pinned.keys():
            if name in previous and self._take(previous[name]):
                chosen[name] = previous[name]
        for name in usual:
            if name not in chosen:
                chosen[name] = usual[name] if self._take(usual[name]) else self._any(name)
        return {name: chosen[name] for name in usual}

    def release(self) -> None:
        for fd in self._locks:
            os.close(fd)
        self._locks.clear()

    def _any(self, name: str) -> int:
        for _ in range(_TRIES):
            with socket.socket() as probe:
                probe.bind(("0.0.0.0", 0))  # noqa: S104
                port: int = probe.getsockname()[1]
            if self._take(port):
                return port
        raise CannotStart(f"no free port found for {name}")

    def _take(self, port: int) -> bool:
        if not _free(port):
            return False
        fd = os.open(self._folder / str(port), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        self._locks.append(fd)
        return True


def _free(port: int) -> bool:
    """On every address, as some services listen on all of them."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))  # noqa: S104
        except (OSError, OverflowError):
            return False
    return True


def parse(text: str) -> dict[str, int]:
    """`kafka=19092,s3=19000`"""
    ports: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        name, equals, number = part.strip().partition("=")
        if not equals or not number.isdecimal() or not 0 < int(number) < 1 << 16:
            raise BadRequest(f"--ports {part!r}: write kafka=19092,s3=19000")
        ports[name] = int(number)
    if len(set(ports.values())) < len(ports):
        raise BadRequest("--ports: two services cannot have the same port")
    return ports
