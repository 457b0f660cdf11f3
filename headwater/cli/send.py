"""`headwater send`"""

import gzip
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Annotated

import msgspec
from cyclopts import Parameter

from headwater.cli import console
from headwater.cli.exits import ERROR
from headwater.cli.query_options import Url
from headwater.client import Client
from headwater.defaults import DEFAULT_URL
from headwater.errors import BadRequest, EventsRefused

# `-` begins like an option.
Files = Annotated[tuple[Path, ...], Parameter(allow_leading_hyphen=True, show_default=False)]

_ENDINGS = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
_MOST_SHOWN = 20  # refused events


def send(files: Files = (Path("-"),), /, *, url: Url = DEFAULT_URL, retry: float = 30.0) -> None:
    """Send OpenLineage events to a server.

    Sending the same events again is harmless: the server skips those that it has.

    Parameters
    ----------
    files
        Files with one event per line, a JSON array of events or one event, also gzipped; folders, for all such
        files in them; `-` or nothing for standard input.
    retry
        How many seconds to retry while the server is away or its disk is full.
    """
    source = EventFiles(files)
    refused: dict[int, str] = {}
    with Client(url) as client:
        client.healthz()  # fails at once if there is no server at all
        with console.progress_bar("Sending events") as report:
            try:
                client.send(source.events(), patience=retry, progress=lambda _: report(source.done, source.total))
            except EventsRefused as e:
                refused.update(e.refused)
    for index, reason in list(refused.items())[:_MOST_SHOWN]:
        console.err.print(f"{source.place(index)}: {reason}", markup=False, soft_wrap=True)
    if len(refused) > _MOST_SHOWN:
        console.err.print(f"… and {len(refused) - _MOST_SHOWN} more")
    console.show(f"{source.count - len(refused)} events sent, {len(refused)} refused")
    if refused:
        sys.exit(ERROR)


class EventFiles:
    """Reads events from files; a file with one event per line may have any size."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._files = list(_files(paths))
        self._starts: list[int] = []
        self.count = self.done = 0
        self.total = sum(file.stat().st_size for file in self._files if str(file) != "-")

    def events(self) -> Iterator[bytes]:
        for file in self._files:
            self._starts.append(self.count)
            try:
                with _open(file) as opened:
                    for event in _split(opened):
                        self.count += 1
                        yield event
            except (OSError, EOFError) as e:
                raise BadRequest(f"cannot read {file}: {getattr(e, 'strerror', None) or e}") from None
            self.done += file.stat().st_size if str(file) != "-" else 0

    def place(self, index: int) -> str:
        """The file of an event, and its number there."""
        number = bisect_right(self._starts, index) - 1
        file = self._files[number]
        return f"{'standard input' if str(file) == '-' else file}, event {index - self._starts[number] + 1}"


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            files = sorted(f for f in path.rglob("*") if f.name.endswith(_ENDINGS) and f.is_file())
            if not files:
                raise BadRequest(f"no file in {path} ends in {', '.join(_ENDINGS)}")
            yield from files
        elif str(path) == "-" or path.exists():
            yield path
        else:
            raise BadRequest(f"cannot read {path}: no such file")


def _open(file: Path) -> IO[bytes]:
    if str(file) == "-":
        return sys.stdin.buffer
    return gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb")  # type: ignore[return-value]


def _split(opened: IO[bytes]) -> Iterator[bytes]:
    """One event per line, or the whole file as an array or as one event over several lines."""
    first = next((line for line in opened if line.strip()), b"")
    if not first:
        return
    if first.lstrip()[:1] != b"[" and _is_json(first):
        yield first.strip()
        yield from (line.strip() for line in opened if line.strip())
        return
    whole = first + opened.read()
    if not _is_json(whole):  # lines, some of them broken: the server names each one
        yield from (line.strip() for line in whole.split(b"\n") if line.strip())
    elif first.lstrip()[:1] == b"[":
        yield from map(bytes, msgspec.json.decode(whole, type=list[msgspec.Raw]))
    else:
        yield whole


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.MsgspecError:
        return False
    return True
