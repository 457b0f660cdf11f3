"""Delivery of events to the server, which never makes the job wait or fail.

A thread takes events from a bounded queue and sends them. While the server is away they wait on disk and are sent
later, in order; what a process could not send before its end, the next one sends.
"""

import json
import logging
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Protocol

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
    def __init__(self, transport: Transport, folder: Path, *, size: int = QUEUE, max_bytes: int = SPOOL_BYTES) -> None:
        """`size`: of the queue; `max_bytes`: of the events that wait on disk."""
        self._transport, self._folder, self._max_bytes = transport, folder, max_bytes
        self._queue: queue.Queue[tuple[Event, Done]] = queue.Queue(size)
        self._idle = threading.Event()
        self._closing = threading.Event()
        self._lock = threading.Lock()  # guards the spool and the event that is being sent
        self._spool: Spool | None = None
        self._sending: tuple[Event, Done] | None = None
        self._pause = FIRST_RETRY
        self._retry_at = 0.0
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="headwater-delivery", daemon=True)
        self._thread.start()

    def send(self, event: Event, done: Done = lambda: None) -> None:
        """Returns at once. An event is dropped, and counted, only when the queue is full."""
        self._idle.clear()
        try:
            self._queue.put_nowait((event, done))
        except queue.Full:
            self._drop("the queue is full")

    def flush(self, seconds: float) -> bool:
        """Waits until everything is sent, for so long at most."""
        return self._idle.wait(seconds)

    def close(self, seconds: float) -> None:
        """Sends what can be sent in this time; the rest stays on disk for the next process."""
        self.flush(seconds)
        self._closing.set()
        with self._lock:
            # The thread may hang in a request: the event it is sending may then arrive twice, but is not lost.
            waiting = [self._sending] if self._sending is not None else []
            self._sending = None
            while True:
                try:
                    waiting.append(self._queue.get_nowait())
                except queue.Empty:
                    break
            for event, done in waiting:
                self._spool_event(event)
                done()
            if self._spool is not None:
                self._spool.close()

    # The thread

    def _run(self) -> None:
        self._guarded(self._open)
        while not self._closing.is_set():
            self._guarded(self._step)

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception:
            log.exception("delivery of lineage events failed; it goes on")
            time.sleep(FIRST_RETRY)

    def _open(self) -> None:
        with self._lock:
            if not self._closing.is_set():
                open_runs.end_abandoned_runs(self._folder, self._max_bytes)
                self._spool = Spool(self._folder, self._max_bytes)

    def _step(self) -> None:
        spool = self._spool
        is_spooled = spool is not None and len(spool) > 0
        if not is_spooled and self._queue.empty():
            self._idle.set()
        pause = max(0.0, min(0.2, self._retry_at - time.monotonic())) if is_spooled else 0.2
        try:
            event = self._queue.get(timeout=pause)
        except queue.Empty:
            event = None
        if event is not None:
            self._idle.clear()
            self._send_new(*event)
        elif is_spooled and time.monotonic() >= self._retry_at:
            self._send_spooled()

    def _send_new(self, event: Event, done: Done) -> None:
        with self._lock:
            if self._closing.is_set() or (self._spool is not None and len(self._spool)):
                self._spool_event(event)  # behind those that wait already
                done()
                if self._closing.is_set() and self._spool is not None:
                    self._spool.close()
                return
            self._sending = event, done
        problem = self._try(event)
        with self._lock:
            if not self._is_still_ours():
                return
            if problem is not None:
                self._spool_event(event)
            if problem == "later":
                self._retry_at = time.monotonic() + self._pause
            elif problem == "never":
                self._reject()
            done()

    def _is_still_ours(self) -> bool:
        """False if `close` has put the event on disk meanwhile."""
        event, self._sending = self._sending, None
        return event is not None

    def _send_spooled(self) -> None:
        while not self._closing.is_set():
            with self._lock:
                if self._spool is None or not len(self._spool):
                    return
                text = self._spool.first()
            problem = self._try(json.loads(text))
            with self._lock:
                if self._closing.is_set():
                    return  # another process may have the folder now; at worst the event arrives twice
                if problem == "later":
                    self._pause = min(self._pause * 2, LAST_RETRY)
                    self._retry_at = time.monotonic() + self._pause
                    return
                if problem is None:
                    self._spool.remove_first()
                    self._pause = FIRST_RETRY
                else:
                    self._reject()

    def _try(self, event: Event) -> Literal["later", "never"] | None:
        """None: sent. `later`: the server does not answer. `never`: it rejects this event."""
        try:
            self._transport.emit(event)
        except Exception as e:
            status = getattr(getattr(e, "response", None), "status_code", None)
            if isinstance(status, int) and 400 <= status < 500 and status not in (401, 403, 404, 408, 425, 429):
                log.warning("the server rejected a lineage event: %s", e)
                return "never"
            if self._pause == FIRST_RETRY:
                log.warning("cannot send lineage events, they wait in %s: %s", self._folder, e)
            return "later"
        return None

    def _spool_event(self, event: Event) -> None:
        if self._spool is None:
            self._spool = Spool(self._folder, self._max_bytes)
        if self._spool.is_full() and event.get("eventType") == "RUNNING":
            self._drop("too many events wait on disk")
            return
        try:
            self._spool.append(json.dumps(event, default=str))
        except OSError as e:
            self._drop(f"it cannot be written to disk: {e}")

    def _reject(self) -> None:
        if self._spool is not None and len(self._spool):
            try:
                log.warning("the rejected event is in %s", self._spool.reject_first())
            except OSError as e:
                self._spool.remove_first()
                self._drop(f"it was rejected, and cannot be written to disk: {e}")

    def _drop(self, why: str) -> None:
        self.dropped += 1
        if self.dropped & (self.dropped - 1) == 0:  # the first, the second, the fourth, …
            log.warning("lost a lineage event (%s so far): %s", self.dropped, why)
