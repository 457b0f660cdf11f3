"""The runs that a process has not ended yet, on disk, so that others can end them when it was killed.

One file for each run: the event that tells it, and later the one that ends it, until that was sent or waits on
disk. Its modification time is that of the last event. The files of a process lie in a folder that it holds. What
OpenLineage's listener says is written there, too, until it was read.
"""

import contextlib
import json
import logging
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from headwater.emit import folders
from headwater.emit.events import SPARK, Json, instant, now
from headwater.emit.spool import Spool

log = logging.getLogger("headwater.spark")

# Set by a supervising parent: a folder in which the agent says where its open runs are.
SUPERVISED = "HEADWATER_SPARK_SUPERVISED"
_ADDRESS, _LISTENER, _POSITION = "address", "listener.jsonl", "position"


def runs_of(spool: Path) -> Path:
    return spool / "runs"


class OpenRuns:
    """Those of this process. Nothing here raises: without a disk there is just nobody to end them."""

    def __init__(self, spool: Path, address: Json) -> None:
        """`address`: how to make the transport, for a parent that has to speak for us."""
        self._address = address
        self.folder = runs_of(spool.absolute()) / folders.name()
        self.listener_file = self.folder / _LISTENER
        self._lock: folders.Lock | None = None
        self._guard = threading.Lock()
        self._complained = False

    def prepare(self) -> None:
        """Makes the folder, if that was not done yet."""
        with self._guarded():
            self._made()

    def keep(self, event: Json) -> None:
        """The latest event that tells the whole run; or its end."""
        with self._guarded():
            self._made()
            path = self._path(event)
            folders.write(path, json.dumps(event, default=str))
            _mark(path, event)

    def heard(self, event: Json) -> None:
        """The run is about to be told by this event."""
        with self._guarded():
            _mark(self._path(event), event)

    def forget(self, run_id: str) -> None:
        with self._guarded():
            (self.folder / f"{run_id}.json").unlink(missing_ok=True)

    def read_so_far(self, position: int | None) -> None:
        """So much of what the listener said is told; None: what it still says does not count."""
        with self._guarded():
            (self.folder / _POSITION).write_text("" if position is None else str(position))

    def close(self, listener_is_there: bool = False) -> None:
        """What is still there is for others to end. The listener may still have a last word: then it stays, too."""
        with self._guarded():
            if self._lock is not None:
                if not listener_is_there and not any(self.folder.glob("*.json")):
                    folders.remove(self.folder, self._lock)
                self._lock.close()
                self._lock = None

    def _made(self) -> None:
        if self._lock is None:
            self._lock = folders.make(self.folder)
            folders.write(self.folder / _ADDRESS, json.dumps(self._address))
            if supervisor := os.environ.get(SUPERVISED):
                folders.write(Path(supervisor) / self.folder.name, str(self.folder))

    def _path(self, event: Json) -> Path:
        return self.folder / f"{event['run']['runId']}.json"

    @contextlib.contextmanager
    def _guarded(self) -> Any:
        with self._guard:
            try:
                yield
            except OSError as e:
                if not self._complained:
                    log.warning("if this process is killed, nobody can end its runs in lineage: %s", e)
                self._complained = True


def _mark(path: Path, event: Json) -> None:
    at = round(datetime.fromisoformat(event["eventTime"]).timestamp() * 1000) * 1_000_000
    os.utime(path, ns=(at, at))


class Left(NamedTuple):
    """Runs that a dead process left open, and that are ended now."""

    jobs: list[str]
    waits: bool  # something is to be sent
    spool: Path
    address: Json


def end_all_left(spool: Path, room: int) -> None:
    """Those of all processes that are gone. When they died is not known: at the earliest after the last event."""
    for folder, lock in folders.left(runs_of(spool)):
        _end(folder, lock, room, None)


def end_left(folder: Path, room: int, reason: str, *, all_is_gone: bool) -> Left | None:
    """Those of one process, which died just now. None if it lives. `all_is_gone`: also its JVM, in which the
    listener may have a last word that does not count."""
    lock = folders.hold(folder)
    return None if lock is None else _end(folder, lock, room, reason, all_is_gone)


def _end(folder: Path, lock: folders.Lock, room: int, reason: str | None, all_is_gone: bool = True) -> Left:
    """The ends wait behind all that waits already; then the files go."""
    try:
        address = json.loads((folder / _ADDRESS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        address = {}  # it died before it could write that, or anything else
    jobs = []
    spool = Spool(folder.parent.parent, room)
    try:
        for event in _not_read(folder):
            spool.append(json.dumps(event))
            path = folder / f"{event['run']['runId']}.json"
            if is_end(event):
                path.unlink(missing_ok=True)
            else:
                folders.write(path, json.dumps(event))
                _mark(path, event)
        for path in sorted(folder.glob("*.json")):
            event = json.loads(path.read_text(encoding="utf-8"))
            last = datetime.fromtimestamp(path.stat().st_mtime_ns // 1_000_000 / 1000, UTC)
            spool.append(json.dumps(event if is_end(event) else aborted(event, last, reason)))
            path.unlink()
            jobs.append(str(event["job"]["name"]))
    finally:
        waits = len(spool) > 0
        spool.close()
    if all_is_gone:
        folders.remove(folder, lock)
    else:
        (folder / _POSITION).write_text("")
        lock.close()
    return Left(jobs, waits, folder.parent.parent, address)


def _not_read(folder: Path) -> Iterator[Json]:
    """What the listener said and nobody told."""
    position = folder / _POSITION
    was_attached = position.exists()
    begin = position.read_text() if was_attached else "0"
    if not begin or not (folder / _LISTENER).exists():
        return
    for line in (folder / _LISTENER).read_bytes()[int(begin) :].splitlines():
        with contextlib.suppress(ValueError, KeyError):
            event = json.loads(line)
            kind = event["job"]["facets"]["jobType"]
            # Of micro-batches nothing is told; and when a driver dies, its JVM calls the application complete.
            is_wrong = was_attached and kind["jobType"] == "APPLICATION" and is_end(event)
            if kind["processingType"] != "STREAMING" and not is_wrong:
                yield event


def is_end(event: Json) -> bool:
    return event["eventType"] in ("COMPLETE", "FAIL", "ABORT")


def aborted(event: Json, last: datetime | None, reason: str | None) -> Json:
    """`last`: when it was last heard of. An end at the same instant might not be taken for the last word."""
    after = instant((last or datetime.fromisoformat(event["eventTime"])) + timedelta(milliseconds=1))
    at = after if reason is None else max(now(), after)
    why = reason or f"the driver ended without a word, it was last heard of at {after}"
    run = event["run"]
    facets = run["facets"] | {"headwater_end": SPARK.own_facet(reason=why)}
    return event | {"eventType": "ABORT", "eventTime": at, "run": run | {"facets": facets}}
