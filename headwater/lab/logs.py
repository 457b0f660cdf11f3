"""The services' logs, one after the other or as they grow."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from headwater.lab.deaths import tail

_PAUSE = 0.2


def read(files: Mapping[str, Path], lines: int, *, follow: bool) -> Iterator[str]:
    """Lines, with the service's name before each where there are several."""
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
                places[name] = 0  # the lab began a new file
            with path.open("rb") as file:
                file.seek(places[name])
                text = rest[name] + file.read()
                places[name] = file.tell()
            *whole, rest[name] = text.split(b"\n")
            for found in whole:
                yield _line(name, found.decode(errors="replace"), width)
        time.sleep(_PAUSE)


def _line(name: str, line: str, width: int) -> str:
    return f"{name:<{width}} │ {line}\n" if width else f"{line}\n"
