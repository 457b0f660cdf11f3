"""`headwater send`"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import httpx
import msgspec
from cyclopts import Parameter
from rich.markup import escape

from headwater.api.ingest import BATCH_PATH
from headwater.cli import console
from headwater.errors import BadRequest, HeadwaterError
from headwater.openlineage.event import split_batch
from headwater.shapes.intake import BatchAnswer, FailedEvent

_PER_REQUEST = 500


class Unreachable(HeadwaterError):
    pass


def send(
    files: list[Path],
    /,
    *,
    url: Annotated[str, Parameter(env_var="HEADWATER_URL")] = "http://127.0.0.1:5000",
) -> None:
    """Send OpenLineage events to a server.

    Parameters
    ----------
    files
        Files with one event a line or a JSON array of events; `-` for standard input.
    url
        The server.
    """
    events = [event for file in files for event in read_events(file)]
    failed = deliver(url, events)
    console.out.print(f"{len(events) - failed} events sent, {failed} refused", highlight=False)
    if failed:
        sys.exit(1)


def read_events(file: Path) -> Iterator[bytes]:
    try:
        text = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as e:
        raise BadRequest(f"cannot read {file}: {e.strerror}") from None
    if text.lstrip()[:1] == b"[":
        yield from split_batch(text)
    else:
        yield from (line for line in text.splitlines() if line.strip())


def deliver(url: str, events: list[bytes]) -> int:
    """Sends events in batches; returns how many were refused, after naming each."""
    failed = 0
    with console.progress_bar("Sending events") as report:
        for start in range(0, len(events), _PER_REQUEST):
            part = events[start : start + _PER_REQUEST]
            for failure in _post(url, b"[" + b",".join(part) + b"]"):
                failed += 1
                console.err.print(f"event {start + failure.index + 1}: {escape(failure.reason)}", highlight=False)
            report(start + len(part), len(events))
    return failed


def _post(url: str, body: bytes) -> list[FailedEvent]:
    try:
        answer = httpx.post(url.rstrip("/") + BATCH_PATH, content=body, timeout=60)
    except (httpx.TransportError, httpx.UnsupportedProtocol) as e:
        raise Unreachable(f"no server at {url} ({e}). Start one with `headwater serve`.") from None
    if answer.status_code not in (200, 204):
        raise Unreachable(f"{url} answered {answer.status_code}: {answer.text[:500]}")
    return msgspec.json.decode(answer.content, type=BatchAnswer).failed_events if answer.content else []
