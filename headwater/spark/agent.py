"""`attach(spark)`: lineage of every streaming query from here on, and of what batches write.

The job's own threads only queue what happened; a thread of the agent asks Spark for the plan, makes the events and
hands them to the delivery. Whatever goes wrong here is logged, and the job goes on.
"""

import atexit
import contextlib
import json
import logging
import os
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from headwater.emit.delivery import Delivery
from headwater.emit.events import now
from headwater.emit.open_runs import OpenRuns
from headwater.emit.run_reporter import RunReporter
from headwater.emit.transports import address_of, default_spool, make_transport
from headwater.spark import commands, events, exit_hooks, hooks, openlineage_listener
from headwater.spark.commands import Written
from headwater.spark.forwarding import Forwarder, StatementOutcome
from headwater.spark.jvm_listeners import JvmListeners
from headwater.spark.settings import Settings, read_settings
from headwater.spark.streams import BatchWrite, Streams

log = logging.getLogger("headwater.spark")

# At the end of the process: seconds to make the last events, and to send them.
LAST_EVENTS, LAST_SENDING = 3.0, 3.0
# How often the agent reads the listener's events, and looks for queries that need a heartbeat.
FORWARDING, HEARTBEAT = 0.2, 1.0
# So many wait only if Spark or the disk hangs.
MAX_TASKS = 1000

_agent: "Agent | None" = None
_attaching = threading.RLock()


def attach(
    spark: Any,
    url: str | None = None,
    namespace: str | None = None,
    *,
    interval: float | None = None,
    batch: bool | None = None,
    parent: tuple[str, str, str] | None = None,
    transport: dict[str, Any] | None = None,
    spool: str | Path | None = None,
) -> "Agent":
    """Reports the lineage of this application's streaming queries, and the columns of what its batches write.

    `url`: the server; without it `spark.headwater.url`, or what openlineage-python is configured to
    (OPENLINEAGE_URL, openlineage.yml). `interval`: seconds between two RUNNING events of a query. `parent`:
    namespace, name and run id of the job that this application belongs to. `transport`: any configuration of
    openlineage-python's transports. `spool`: the folder for events that wait for the server.

    One agent serves all sessions of an application: attaching again changes nothing.
    """
    global _agent
    if not hasattr(spark, "_jsparkSession"):
        raise TypeError("attach() needs a classic Spark session; this one is of Spark Connect")
    with _attaching:
        if is_attached(spark):
            assert _agent is not None
            return _agent
        if _agent is not None:
            _agent.close("another application was attached")
        settings = read_settings(spark, url, namespace, interval, batch, parent, transport, spool)
        folder = settings.spool or default_spool(settings.url, settings.transport)
        delivery = Delivery(make_transport(settings.url, settings.transport), folder)
        listener_runs = openlineage_listener.take_open_runs(spark)
        runs = listener_runs or OpenRuns(folder, address_of(settings.url, settings.transport))
        _agent = Agent(spark, RunReporter(delivery, runs), settings, forwards=listener_runs is not None)
        return _agent


def is_attached(spark: Any) -> bool:
    """Whether this session's application is reported already."""
    return _agent is not None and not _agent.closed and _agent.context is spark.sparkContext


class Agent:
    def __init__(self, spark: Any, reporter: RunReporter, settings: Settings, *, forwards: bool) -> None:
        self.context, self.closed, self._is_behind = spark.sparkContext, False, False
        self._reporter, self._settings, self._process = reporter, settings, os.getpid()
        self._forwarder = Forwarder(reporter, settings.interval) if forwards else None
        self._streams = Streams(spark, reporter, settings, self._parent, lambda: list(self._sessions.values()))
        # What the listener reports by itself must not be reported twice.
        self._reports_batches = settings.batch and not openlineage_listener.is_configured(spark)
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="headwater-agent", daemon=True)
        self._thread.start()
        needs_statements = self._forwarder is not None or self._reports_batches
        self._listeners = JvmListeners(spark, self, self.executed if needs_statements else None)
        # The sessions with our listeners, by their ids. Some jobs make many, so we must not keep them alive.
        self._session_ids: set[str] = set()
        self._sessions: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self._spark = spark
        self.listen(spark)
        hooks.install(self)
        self._exit_hooks = exit_hooks.ExitHooks(self)
        atexit.register(self.close, "the interpreter ended", stop=True)

    def listen(self, spark: Any) -> None:
        """To a session: each notifies only its own listeners."""
        session = str(spark._jsparkSession.sessionUUID())
        if session not in self._session_ids:
            self._session_ids.add(session)
            self._sessions[session] = spark
            self._listeners.add_to(spark)
            at = now()
            for query in spark.streams.active:
                self.started(spark, query, None, at)

    # Called by threads of the job and of Spark; nothing here waits

    def announced(self, run_id: str) -> None:
        at = now()
        self._do(lambda: self._streams.announced(run_id, at))

    def started(self, spark: Any, query: Any, batches: "hooks.Batches | None", at: str) -> None:
        self._do(lambda: self._streams.started(spark, query, batches, at))

    def progressed(self, progress: str) -> None:
        self._do(lambda: self._streams.progressed(json.loads(progress)), may_drop=True)

    def terminated(self, run_id: str, problem: str | None) -> None:
        self._do(lambda: self._streams.terminated(run_id, problem))

    def stopping(self, run_id: str) -> None:
        self._do(lambda: self._streams.stopping(run_id))

    def wrote(self, write: BatchWrite) -> None:
        """A function of foreachBatch wrote something."""
        self._do(lambda: self._streams.wrote(write))

    def executed(self, execution: Any, problem: str | None) -> None:
        """A statement ended."""
        position = self._forwarder.position() if self._forwarder is not None else 0
        self._do(lambda: self._executed(execution, problem, position), may_drop=True)

    def failed(self, problem: str) -> None:
        """The job raised an exception that it did not catch."""
        if self._forwarder is not None:
            self._forwarder.failure = problem

    def signalled(self, name: str) -> None:
        """The job handles the signal itself; whatever ends from here on ends after it."""
        self._streams.signal = name

    # The end

    def application_stops(self) -> None:
        """Just before `spark.stop()`: afterwards Spark no longer says how queries and statements ended."""
        if self._forwarder is not None:
            self._wait_for_spark(LAST_EVENTS)
        self._settle("the Spark session was stopped")

    def application_stopped(self) -> None:
        if self._forwarder is not None:
            self._wait_for(lambda: self._abort_forwarded("the Spark session was stopped"), LAST_EVENTS)

    def close(self, reason: str, *, stop: bool = False) -> None:
        """Aborts every query that still runs, and sends the events that wait or leaves them on disk. `stop`: stops the
        application first, as its end could not be reported later."""
        if self.closed or os.getpid() != self._process:  # a fork of the job is not the job
            return
        if stop and self._forwarder is not None:
            with contextlib.suppress(Exception):
                self.context.stop()
        self._settle(reason, self._remove_listeners)
        if self._forwarder is not None:
            self._wait_for(lambda: self._abort_forwarded(reason), LAST_EVENTS)
        self.closed = True
        self._tasks.put(None)
        hooks.remove()
        self._exit_hooks.remove()
        self._reporter.delivery.close(LAST_SENDING)
        self._reporter.open_runs.close(listener_is_there=self._forwarder is not None and self.context._jsc is not None)
        atexit.unregister(self.close)

    def flush(self, seconds: float = 5.0) -> bool:
        """Waits until all that happened so far is sent."""
        self._wait_for_spark(seconds)
        return self._wait_for(lambda: None, seconds) and self._reporter.delivery.flush(seconds)

    def _do(self, task: Callable[[], None], *, may_drop: bool = False) -> None:
        if may_drop and self._tasks.qsize() > MAX_TASKS:
            if not self._is_behind:
                log.warning("the agent cannot keep up with Spark: some progress is not reported")
            self._is_behind = True
        elif not self.closed:
            self._tasks.put(task)

    def _wait_for_spark(self, seconds: float) -> None:
        """Spark notifies of statements in a thread of its own."""
        with contextlib.suppress(Exception):  # not a public part of Spark
            self.context._jsc.sc().listenerBus().waitUntilEmpty(int(seconds * 1000))

    def _wait_for(self, task: Callable[[], None], seconds: float) -> bool:
        done = threading.Event()

        def do() -> None:
            try:
                task()
            finally:
                done.set()

        self._do(do)
        return done.wait(seconds)

    def _settle(self, reason: str, and_then: Callable[[], None] = lambda: None) -> None:
        def settle() -> None:
            self._streams.settle(reason)
            and_then()

        if not self._wait_for(settle, LAST_EVENTS):
            self._streams.abort(reason)  # Spark does not answer any more; what is known is reported without it

    # In the agent's own thread

    def _work(self) -> None:
        pause = FORWARDING if self._forwarder is not None else HEARTBEAT
        while True:
            try:
                task = self._tasks.get(timeout=min(pause, self._settings.interval / 2))
            except queue.Empty:
                task = self._no_task
            if task is None:
                return
            self._guarded(task)
            self._guarded(self._streams.heartbeat)
            if self._forwarder is not None:
                self._guarded(self._forwarder.forward)

    def _no_task(self) -> None:
        pass

    def _guarded(self, task: Callable[[], None]) -> None:
        try:
            task()
        except Exception:
            log.exception("cannot report lineage")

    def _parent(self) -> tuple[str, str, str] | None:
        if self._forwarder is None:
            return self._settings.parent
        self._forwarder.forward()
        return self._forwarder.application or self._settings.parent

    def _executed(self, execution: Any, problem: str | None, position: int) -> None:
        outcome = StatementOutcome()
        try:
            outcome = self._outcome(execution, problem)
        except Exception:
            log.exception("cannot report the columns of a statement")
        if self._forwarder is not None:
            self._forwarder.executed(position, outcome)
        elif outcome.written is not None:
            self._report_datasets(outcome.written)

    def _outcome(self, execution: Any, problem: str | None) -> StatementOutcome:
        session = str(execution.sparkSession().sessionUUID())
        if session not in self._session_ids:
            return StatementOutcome(of_stream=True)  # streams run in sessions of their own
        if problem is not None:
            logical = execution.logical()
            return StatementOutcome(problem=problem, creates=commands.creates(logical))
        return StatementOutcome(commands.of_plan(execution.analyzed(), self._sessions.get(session, self._spark)))

    def _report_datasets(self, written: Written) -> None:
        """Without OpenLineage's listener there is no run to report, but there are the columns of the dataset."""
        for dataset in written.sink.datasets:
            output = events.output_of(dataset, written.lineage, written.schema)
            self._reporter.delivery.send(events.dataset_event(output))

    def _abort_forwarded(self, reason: str) -> None:
        assert self._forwarder is not None
        self._forwarder.abort(reason)

    def _remove_listeners(self) -> None:
        # Here and not in the main thread, which may be in the middle of a call to Spark when SIGTERM comes.
        with contextlib.suppress(Exception):  # the session may be gone, and its listeners with it
            for session in self._sessions.values():
                self._listeners.remove_from(session)
