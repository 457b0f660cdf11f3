"""Events on their way to the server, so that the job never waits for it, nor dies of it.

A thread takes events from a bounded queue and sends them. When the server is away they are kept on
disk and sent later, in order; what a process could not send before its end, the next one sends.
"""

import json
import logging
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from headwater.emit import open_runs
from headwater.emit.spool import Spool

log = logging.getLogger("headwater.spark")

# A stream sends an event every ten seconds: so many wait only if the disk hangs, too.
QUEUE = 10_000
SPOOL_BYTES = 256 * 1024 * 1024
FIRST_RETRY, LAST_RETRY = 0.5, 15.0

Event = dict[str, Any]
Done = Callable[[], None]
"""Called when an event was sent, or is on disk."""


class Transport(Protocol):
    """One of openlineage-python's."""

    def emit(self, event: Any) -> Any: ...


class Delivery:
    def __init__(self, transport: Transport, folder: Path, *, size: int = QUEUE, room: int = SPOOL_BYTES) -> None:
        self._transport, self._folder, self._room = transport, folder, room
        self._queue: queue.Queue[tuple[Event, Done]] = queue.Queue(size)
        self._idle = threading.Event()
        self._closing = threading.Event()
        self._lock = threading.Lock()  # the spool, and what is in hand
        self._spool: Spool | None = None
        self._in_hand: tuple[Event, Done] | None = None
        self._pause = FIRST_RETRY
        self._again = 0.0
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="headwater-delivery", daemon=True)
        self._thread.start()

    def send(self, event: Event, done: Done = lambda: None) -> None:
        """Returns at once. Only when the queue is full, an event is lost, and counted."""
        self._idle.clear()
        try:
            self._queue.put_nowait((event, done))
        except queue.Full:
            self._lost("the queue is full")

    def flush(self, seconds: float) -> bool:
        """Waits until everything is sent, for so long at most."""
        return self._idle.wait(seconds)

    def close(self, seconds: float) -> None:
        """Sends what can be sent in this time; the rest stays on disk for the next process."""
        self.flush(seconds)
        self._closing.set()
        with self._lock:
            # The thread may hang in a request: what it has in hand may then arrive twice, but not get lost.
            waiting = [self._in_hand] if self._in_hand is not None else []
            self._in_hand = None
            while True:
                try:
                    waiting.append(self._queue.get_nowait())
                except queue.Empty:
                    break
            for event, done in waiting:
                self._keep(event)
                done()
            if self._spool is not None:
                self._spool.close()

    # The thread

    def _run(self) -> None:
        self._guarded(self._open)
        while not self._closing.is_set():
            self._guarded(self._step)

    def _guarded(self, step: Any) -> None:
        try:
            step()
        except Exception:
            log.exception("an event of lineage could not be handled")
            time.sleep(FIRST_RETRY)

    def _open(self) -> None:
        with self._lock:
            if not self._closing.is_set():
                open_runs.end_all_left(self._folder, self._room)
                self._spool = Spool(self._folder, self._room)

    def _step(self) -> None:
        spool = self._spool
        waits = spool is not None and len(spool) > 0
        if not waits and self._queue.empty():
            self._idle.set()
        pause = max(0.0, min(0.2, self._again - time.monotonic())) if waits else 0.2
        try:
            event = self._queue.get(timeout=pause)
        except queue.Empty:
            event = None
        if event is not None:
            self._idle.clear()
            self._one(*event)
        elif waits and time.monotonic() >= self._again:
            self._from_disk()

    def _one(self, event: Event, done: Done) -> None:
        with self._lock:
            if self._closing.is_set() or (self._spool is not None and len(self._spool)):
                self._keep(event)  # behind those that wait already
                done()
                if self._closing.is_set() and self._spool is not None:
                    self._spool.close()
                return
            self._in_hand = event, done
        problem = self._try(event)
        with self._lock:
            if not self._still_in_hand():
                return
            if problem is not None:
                self._keep(event)
            if problem == "later":
                self._again = time.monotonic() + self._pause
            elif problem == "never":
                self._refuse()
            done()

    def _still_in_hand(self) -> bool:
        """Unless the end of the process has taken it."""
        taken, self._in_hand = self._in_hand, None
        return taken is not None

    def _from_disk(self) -> None:
        while not self._closing.is_set():
            with self._lock:
                if self._spool is None or not len(self._spool):
                    return
                text = self._spool.first()
            problem = self._try(json.loads(text))
            with self._lock:
                if self._closing.is_set():
                    return  # the folder is somebody else's now; at worst the event arrives twice
                if problem == "later":
                    self._pause = min(self._pause * 2, LAST_RETRY)
                    self._again = time.monotonic() + self._pause
                    return
                if problem is None:
                    self._spool.remove_first()
                    self._pause = FIRST_RETRY
                else:
                    self._refuse()

    def _try(self, event: Event) -> str | None:
        """None: sent. `later`: nobody there. `never`: this event is not taken, now or later."""
        try:
            self._transport.emit(event)
        except Exception as e:
            status = getattr(getattr(e, "response", None), "status_code", None)
            if isinstance(status, int) and 400 <= status < 500 and status not in (401, 403, 404, 408, 425, 429):
                log.warning("an event of lineage was refused: %s", e)
                return "never"
            if self._pause == FIRST_RETRY:
                log.warning("lineage cannot be sent, events are kept in %s: %s", self._folder, e)
            return "later"
        return None

    def _keep(self, event: Event) -> None:
        if self._spool is None:
            self._spool = Spool(self._folder, self._room)
        if self._spool.is_full() and event.get("eventType") == "RUNNING":
            self._lost("there is no more room for events that wait")
            return
        try:
            self._spool.append(json.dumps(event, default=str))
        except OSError as e:
            self._lost(f"it cannot be kept on disk: {e}")

    def _refuse(self) -> None:
        if self._spool is not None and len(self._spool):
            try:
                log.warning("the refused event is in %s", self._spool.refuse_first())
            except OSError as e:
                self._spool.remove_first()
                self._lost(f"it was refused, and cannot be kept on disk: {e}")

    def _lost(self, why: str) -> None:
        self.dropped += 1
        if self.dropped & (self.dropped - 1) == 0:  # the first, the second, the fourth, …
            log.warning("an event of lineage is lost, %s so far, as %s", self.dropped, why)
