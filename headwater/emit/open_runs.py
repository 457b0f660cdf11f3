"""The runs that a process has not ended yet, on disk, so that others can end them if it is killed.

One file for each run: the event that reports it, and later the one that ends it, until that one is sent or waits on
disk. Its modification time is that of the last event. The files of a process lie in a folder that it locks. The
events of OpenLineage's listener are written there, too, until the agent has read them.
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

# Set by a supervising parent: a folder in which the agent writes where its open runs are.
SUPERVISED = "HEADWATER_SPARK_SUPERVISED"
_ADDRESS, _LISTENER, _POSITION = "address", "listener.jsonl", "position"


def runs_folder(spool: Path) -> Path:
    return spool / "runs"


class OpenRuns:
    """Those of this process. Nothing here raises: without a disk, they cannot be ended after a kill."""

    def __init__(self, spool: Path, address: Json) -> None:
        """`address`: how to make the transport, for a parent that has to send in our place."""
        self._address = address
        self.folder = runs_folder(spool.absolute()) / folders.new_name()
        self.listener_file = self.folder / _LISTENER
        self._lock: folders.Lock | None = None
        self._guard = threading.Lock()
        self._warned = False

    def prepare(self) -> None:
        """Makes the folder, if that was not done yet."""
        with self._guarded():
            self._ensure_folder()

    def save(self, event: Json) -> None:
        """The latest event with all that is known of the run; or its end."""
        with self._guarded():
            self._ensure_folder()
            path = self._path(event)
            folders.write(path, json.dumps(event, default=str))
            _set_time(path, event)

    def touch(self, event: Json) -> None:
        """The run is alive at the time of this event."""
        with self._guarded():
            _set_time(self._path(event), event)

    def remove(self, run_id: str) -> None:
        with self._guarded():
            (self.folder / f"{run_id}.json").unlink(missing_ok=True)

    def save_position(self, position: int | None) -> None:
        """So much of the listener's file is reported; None: whatever else it writes is ignored."""
        with self._guarded():
            (self.folder / _POSITION).write_text("" if position is None else str(position))

    def close(self, listener_is_there: bool = False) -> None:
        """Leaves open runs for others to end. The folder also stays while the listener may still write to it."""
        with self._guarded():
            if self._lock is not None:
                if not listener_is_there and not any(self.folder.glob("*.json")):
                    folders.remove(self.folder, self._lock)
                self._lock.close()
                self._lock = None

    def _ensure_folder(self) -> None:
        if self._lock is None:
            self._lock = folders.create(self.folder)
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
                if not self._warned:
                    log.warning("cannot save open runs; if this process is killed, they stay open in lineage: %s", e)
                self._warned = True


def _set_time(path: Path, event: Json) -> None:
    at = round(datetime.fromisoformat(event["eventTime"]).timestamp() * 1000) * 1_000_000
    os.utime(path, ns=(at, at))


class EndedRuns(NamedTuple):
    """Runs that a dead process left open, and that are ended now."""

    jobs: list[str]
    unsent: bool  # events wait in the spool
    spool: Path
    address: Json


def end_abandoned_runs(spool: Path, max_bytes: int) -> None:
    """Those of all processes that are gone. When they died is not known: at the earliest after the last event."""
    for folder, lock in folders.abandoned(runs_folder(spool)):
        _end(folder, lock, max_bytes, None)


def end_runs(folder: Path, max_bytes: int, reason: str, *, jvm_is_gone: bool) -> EndedRuns | None:
    """Those of one process, which died just now. None if it lives. As long as its JVM runs, the listener may still
    write events, which are ignored."""
    lock = folders.try_lock(folder)
    return None if lock is None else _end(folder, lock, max_bytes, reason, jvm_is_gone)


def _end(folder: Path, lock: folders.Lock, max_bytes: int, reason: str | None, jvm_is_gone: bool = True) -> EndedRuns:
    """The ends wait behind all that waits already; then the files go."""
    try:
        address = json.loads((folder / _ADDRESS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        address = {}  # it died before it could write it, or anything else
    jobs = []
    spool = Spool(folder.parent.parent, max_bytes)
    try:
        for event in _unread_events(folder):
            spool.append(json.dumps(event))
            path = folder / f"{event['run']['runId']}.json"
            if is_end(event):
                path.unlink(missing_ok=True)
            else:
                folders.write(path, json.dumps(event))
                _set_time(path, event)
        for path in sorted(folder.glob("*.json")):
            event = json.loads(path.read_text(encoding="utf-8"))
            last = datetime.fromtimestamp(path.stat().st_mtime_ns // 1_000_000 / 1000, UTC)
            spool.append(json.dumps(event if is_end(event) else aborted(event, last, reason)))
            path.unlink()
            jobs.append(str(event["job"]["name"]))
    finally:
        unsent = len(spool) > 0
        spool.close()
    if jvm_is_gone:
        folders.remove(folder, lock)
    else:
        (folder / _POSITION).write_text("")
        lock.close()
    return EndedRuns(jobs, unsent, folder.parent.parent, address)


def _unread_events(folder: Path) -> Iterator[Json]:
    """Events of the listener that the agent has not reported."""
    position = folder / _POSITION
    was_attached = position.exists()
    begin = position.read_text() if was_attached else "0"
    if not begin or not (folder / _LISTENER).exists():
        return
    for line in (folder / _LISTENER).read_bytes()[int(begin) :].splitlines():
        with contextlib.suppress(ValueError, KeyError):
            event = json.loads(line)
            kind = event["job"]["facets"]["jobType"]
            # Micro-batches are not reported; and when a driver dies, its JVM calls the application complete.
            is_wrong = was_attached and kind["jobType"] == "APPLICATION" and is_end(event)
            if kind["processingType"] != "STREAMING" and not is_wrong:
                yield event


def is_end(event: Json) -> bool:
    return event["eventType"] in ("COMPLETE", "FAIL", "ABORT")


def aborted(event: Json, last: datetime | None, reason: str | None) -> Json:
    """`last`: the time of its last event. The end is a millisecond later, so that it is the last one."""
    after = instant((last or datetime.fromisoformat(event["eventTime"])) + timedelta(milliseconds=1))
    at = after if reason is None else max(now(), after)
    why = reason or f"the driver died without reporting its end; last event at {after}"
    run = event["run"]
    facets = run["facets"] | {"headwater_end": SPARK.own_facet(reason=why)}
    return event | {"eventType": "ABORT", "eventTime": at, "run": run | {"facets": facets}}
