"""`headwater send`"""

import gzip
import sys
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from headwater.cli import console
from headwater.cli.asking import Url
from headwater.cli.exits import ERROR
from headwater.client import Client
from headwater.client.client import URL
from headwater.errors import BadRequest, EventsRefused

_ENDINGS = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
_MOST_NAMED = 20  # refused events that are worth reading about


def send(*files: Path, url: Url = URL, retry: float = 30.0) -> None:
    """Send OpenLineage events to a server.

    Sending the same events again is harmless: the server knows those that it has.

    Parameters
    ----------
    files
        Files with one event a line, a JSON array of events or one event, also packed with gzip; folders, for
        all such files in them; `-` or nothing for standard input.
    retry
        For how many seconds to try again when the server is away or its disk is full.
    """
    reading = Reading(list(files) or [Path("-")])
    refused: dict[int, str] = {}
    with Client(url) as client:
        client.healthz()  # nobody there at all is said at once
        with console.progress_bar("Sending events") as report:
            try:
                client.send(reading.events(), patience=retry, told=lambda _: report(reading.done, reading.total))
            except EventsRefused as e:
                refused.update(e.refused)
    for index, reason in list(refused.items())[:_MOST_NAMED]:
        console.err.print(f"{reading.place(index)}: {reason}", markup=False, soft_wrap=True)
    if len(refused) > _MOST_NAMED:
        console.err.print(f"… and {len(refused) - _MOST_NAMED} more")
    console.show(f"{reading.count - len(refused)} events sent, {len(refused)} refused")
    if refused:
        sys.exit(ERROR)


class Reading:
    """Events from files, one after the other; files of any size, as long as they have lines."""

    def __init__(self, paths: list[Path]) -> None:
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
        """Which event of which file that was."""
        number = bisect_right(self._starts, index) - 1
        file = self._files[number]
        return f"{'standard input' if str(file) == '-' else file}, event {index - self._starts[number] + 1}"


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            found = sorted(f for f in path.rglob("*") if f.name.endswith(_ENDINGS) and f.is_file())
            if not found:
                raise BadRequest(f"no file in {path} ends in {', '.join(_ENDINGS)}")
            yield from found
        elif str(path) == "-" or path.exists():
            yield path
        else:
            raise BadRequest(f"cannot read {path}: there is no such file")


def _open(file: Path) -> IO[bytes]:
    if str(file) == "-":
        return sys.stdin.buffer
    return gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb")  # type: ignore[return-value]


def _split(opened: IO[bytes]) -> Iterator[bytes]:
    """Lines, or the whole: an array, or an event that is spread over several lines."""
    first = next((line for line in opened if line.strip()), b"")
    if not first:
        return
    if first.lstrip()[:1] != b"[" and _is_json(first):
        yield first.strip()
        yield from (line.strip() for line in opened if line.strip())
        return
    whole = first + opened.read()
    try:
        events = msgspec.json.decode(whole, type=msgspec.Raw | list[msgspec.Raw])
    except msgspec.MsgspecError:
        # Neither: then it is lines, of which some are broken. Each of those is named.
        yield from (line.strip() for line in whole.splitlines() if line.strip())
        return
    yield from map(bytes, events if isinstance(events, list) else [events])


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.MsgspecError:
        return False
    return True
