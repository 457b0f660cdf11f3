"""The services' logs: their ends, or as they grow."""

import os
import time
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path

_PAUSE = 0.2
_TAIL_BYTES = 64 << 10


def read(files: Mapping[str, Path], lines: int, *, follow: bool) -> Iterator[str]:
    """Lines; with several services, each line begins with its service."""
    width = max((len(name) for name in files), default=0) if len(files) > 1 else 0
    places = {name: path.stat().st_size if path.exists() else 0 for name, path in files.items()}
    for name, path in files.items():
        for line in tail(path, lines):
            yield _line(name, line, width)
    rest = dict.fromkeys(files, b"")
    while follow:
        for name, path in files.items():
            if not path.exists():
                continue
            if path.stat().st_size < places[name]:
                places[name] = 0  # the lab started a new file
            with path.open("rb") as file:
                file.seek(places[name])
                text = rest[name] + file.read()
                places[name] = file.tell()
            *whole, rest[name] = text.split(b"\n")
            for raw in whole:
                yield _line(name, raw.decode(errors="replace"), width)
        time.sleep(_PAUSE)


def tail(path: Path, lines: int) -> list[str]:
    """The last lines of a file, without reading all of it."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            return list(deque(file.read().decode(errors="replace").splitlines(), lines))
    except FileNotFoundError:
        return []


def _line(name: str, line: str, width: int) -> str:
    return f"{name:<{width}} │ {line}\n" if width else f"{line}\n"
