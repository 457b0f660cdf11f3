"""The runs that a process has not ended yet, on disk, so that others can end them when it was killed.

One file for each run: the event that tells it, and later the one that ends it, until that was sent or waits on
disk. Its modification time is that of the last event. The files of a process lie in a folder that it holds.
"""

import contextlib
import json
import logging
import os
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from headwater.spark import folders
from headwater.spark.events import Json, instant, now, our_facet
from headwater.spark.spool import Spool

log = logging.getLogger("headwater.spark")

# Set by a supervising parent: a folder in which the agent says where its open runs are.
SUPERVISED = "HEADWATER_SPARK_SUPERVISED"
_ADDRESS = "address"


def runs_of(spool: Path) -> Path:
    return spool / "runs"


class OpenRuns:
    """Those of this process. Nothing here raises: without a disk there is just nobody to end them."""

    def __init__(self, spool: Path, address: Json) -> None:
        """`address`: how to make the transport, for a parent that has to speak for us."""
        self._address = address
        self._folder = runs_of(spool.absolute()) / folders.name()
        self._lock: folders.Lock | None = None
        self._guard = threading.Lock()
        self._complained = False

    def keep(self, event: Json) -> None:
        """The latest event that tells the whole run; or its end."""
        with self._guarded():
            if self._lock is None:
                self._lock = folders.make(self._folder)
                folders.write(self._folder / _ADDRESS, json.dumps(self._address))
                if supervisor := os.environ.get(SUPERVISED):
                    folders.write(Path(supervisor) / self._folder.name, str(self._folder))
            path = self._path(event["run"]["runId"])
            folders.write(path, json.dumps(event, default=str))
            _mark(path, event)

    def heard(self, event: Json) -> None:
        """The run is about to be told by this event."""
        with self._guarded():
            _mark(self._path(event["run"]["runId"]), event)

    def forget(self, run_id: str) -> None:
        with self._guarded():
            self._path(run_id).unlink(missing_ok=True)

    def close(self) -> None:
        """What is still there is for others to end."""
        with self._guarded():
            if self._lock is not None:
                if not any(self._folder.glob("*.json")):
                    folders.remove(self._folder, self._lock)
                self._lock.close()
                self._lock = None

    def _path(self, run_id: str) -> Path:
        return self._folder / f"{run_id}.json"

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
    spool: Path
    address: Json


def end_all_left(spool: Path, room: int) -> None:
    """Those of all processes that are gone. When they died is not known: at the earliest after the last event."""
    for folder, lock in folders.left(runs_of(spool)):
        _end(folder, lock, room, None)


def end_left(folder: Path, room: int, reason: str) -> Left | None:
    """Those of one process, which died just now. None if it lives, or if nothing was left."""
    lock = folders.hold(folder)
    return None if lock is None else _end(folder, lock, room, reason)


def _end(folder: Path, lock: folders.Lock, room: int, reason: str | None) -> Left | None:
    """The ends wait behind all that waits already; then the files go."""
    try:
        address = json.loads((folder / _ADDRESS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        address = {}  # it died before it could write that, or anything else
    jobs = []
    spool = Spool(folder.parent.parent, room)
    try:
        for path in sorted(folder.glob("*.json")):
            event = json.loads(path.read_text(encoding="utf-8"))
            last = datetime.fromtimestamp(path.stat().st_mtime_ns // 1_000_000 / 1000, UTC)
            spool.append(json.dumps(event if _is_end(event) else _aborted(event, last, reason)))
            path.unlink()
            jobs.append(str(event["job"]["name"]))
    finally:
        spool.close()
    folders.remove(folder, lock)
    return Left(jobs, folder.parent.parent, address)


def _is_end(event: Json) -> bool:
    return event["eventType"] in ("COMPLETE", "FAIL", "ABORT")


def _aborted(event: Json, last: datetime, reason: str | None) -> Json:
    """`last`: when it was last heard of. An end at the same instant might not be taken for the last word."""
    after = instant(last + timedelta(milliseconds=1))
    at = after if reason is None else max(now(), after)
    why = reason or f"the driver ended without a word, it was last heard of at {instant(last)}"
    run = event["run"]
    facets = run["facets"] | {"headwater_end": our_facet(reason=why)}
    return event | {"eventType": "ABORT", "eventTime": at, "run": run | {"facets": facets}}
