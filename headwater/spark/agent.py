"""`attach(spark)`: lineage of every streaming query from here on, and of what batches write.

The job's own threads only put down what happened; a thread of the agent asks Spark for the plan, makes
the events and hands them to the delivery. Whatever goes wrong here is logged, and the job goes on.
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
from headwater.emit.run_reporter import Telling
from headwater.emit.transports import address_of, default_spool, make_transport
from headwater.spark import commands, endings, events, hooks, openlineage_listener
from headwater.spark.commands import Written
from headwater.spark.forwarding import Forwarder, Verdict
from headwater.spark.jvm_listeners import Listening
from headwater.spark.settings import Settings, gather
from headwater.spark.streams import Streams, Write

log = logging.getLogger("headwater.spark")

# At the end of the process: for the last events to be made, and to be sent.
LAST_WORDS, LAST_SENDING = 3.0, 3.0
# How often the agent looks what the listener said, and whether a query has been silent for too long.
FORWARDING, BEATING = 0.2, 1.0
# So much waits only if Spark or the disk hangs.
MANY = 1000

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
    """Tells the lineage of this application's streaming queries, and the columns of what its batches write.

    `url`: the server; without it `spark.headwater.url`, or what openlineage-python is configured to
    (OPENLINEAGE_URL, openlineage.yml). `interval`: seconds between two RUNNING events of a query. `parent`:
    namespace, name and run id of the job that this application belongs to. `transport`: any configuration of
    openlineage-python's transports. `spool`: the folder for events that wait for the server.

    One agent serves all sessions of an application: attaching again changes nothing.
    """
    global _agent
    if not hasattr(spark, "_jsparkSession"):
        raise TypeError("the agent works inside a classic Spark session; this one is of Spark Connect")
    with _attaching:
        if is_attached(spark):
            assert _agent is not None
            return _agent
        if _agent is not None:
            _agent.close("another application was attached")
        told = gather(spark, url, namespace, interval, batch, parent, transport, spool)
        folder = told.spool or default_spool(told.url, told.transport)
        delivery = Delivery(make_transport(told.url, told.transport), folder)
        listened = openlineage_listener.prepared(spark)
        runs = listened or OpenRuns(folder, address_of(told.url, told.transport))
        _agent = Agent(spark, Telling(delivery, runs), told, listened is not None)
        return _agent


def is_attached(spark: Any) -> bool:
    """Whether this session's application is told already."""
    return _agent is not None and not _agent.closed and _agent.context is spark.sparkContext


class Agent:
    def __init__(self, spark: Any, telling: Telling, told: Settings, forwards: bool) -> None:
        self.context, self.closed, self._is_behind = spark.sparkContext, False, False
        self._telling, self._settings, self._process = telling, told, os.getpid()
        self._forwarder = Forwarder(telling.runs, telling, told.interval) if forwards else None
        self._streams = Streams(spark, telling, told, self._parent, lambda: list(self._sessions.values()))
        # What the listener tells by itself need not be told twice.
        self._tells_batches = told.batch and not openlineage_listener.is_there(spark)
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="headwater-agent", daemon=True)
        self._thread.start()
        hears_statements = self._forwarder is not None or self._tells_batches
        self._listening = Listening(spark, self, self.executed if hears_statements else None)
        # The sessions that are listened to, by their ids. Some jobs make many: they are not kept alive for us.
        self._heard: set[str] = set()
        self._sessions: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self._spark = spark
        self.listen(spark)
        hooks.install(self)
        self._endings = endings.Endings(self)
        atexit.register(self.close, "the interpreter ended", stop=True)

    def listen(self, spark: Any) -> None:
        """To a session: each tells only of itself."""
        session = str(spark._jsparkSession.sessionUUID())
        if session not in self._heard:
            self._heard.add(session)
            self._sessions[session] = spark
            self._listening.begin(spark)
            at = now()
            for query in spark.streams.active:
                self.started(spark, query, None, at)

    # Told by threads of the job and of Spark; nothing here waits

    def announced(self, run_id: str) -> None:
        at = now()
        self._do(lambda: self._streams.announced(run_id, at))

    def started(self, spark: Any, query: Any, batches: "hooks.Batches | None", at: str) -> None:
        self._do(lambda: self._streams.started(spark, query, batches, at))

    def progressed(self, told: str) -> None:
        self._do(lambda: self._streams.progressed(json.loads(told)), may_drop=True)

    def terminated(self, run_id: str, problem: str | None) -> None:
        self._do(lambda: self._streams.terminated(run_id, problem))

    def stopping(self, run_id: str) -> None:
        self._do(lambda: self._streams.stopping(run_id))

    def wrote(self, write: Write) -> None:
        """A function of foreachBatch wrote something."""
        self._do(lambda: self._streams.wrote(write))

    def executed(self, execution: Any, problem: str | None) -> None:
        """A statement ended."""
        mark = self._forwarder.mark() if self._forwarder is not None else 0
        self._do(lambda: self._executed(execution, problem, mark), may_drop=True)

    def failed(self, problem: str) -> None:
        """Nobody caught an exception of the job."""
        if self._forwarder is not None:
            self._forwarder.failure = problem

    def signalled(self, name: str) -> None:
        """The job itself does something about it; whatever ends from here on ends after that."""
        self._streams.after = name

    # The end

    def application_stops(self) -> None:
        """Just before `spark.stop()`: afterwards nobody tells how queries and statements ended."""
        if self._forwarder is not None:
            self._wait_for_spark(LAST_WORDS)
        self._settled("the Spark session was stopped")

    def application_stopped(self) -> None:
        if self._forwarder is not None:
            self._wait_for(lambda: self._last_words("the Spark session was stopped"), LAST_WORDS)

    def close(self, reason: str, *, stop: bool = False) -> None:
        """Every query that still runs is aborted, and what is to be sent is sent or kept on disk. `stop`: the
        application, too, as nobody could tell its end later."""
        if self.closed or os.getpid() != self._process:  # a fork of the job is not the job
            return
        if stop and self._forwarder is not None:
            with contextlib.suppress(Exception):
                self.context.stop()
        self._settled(reason, self._unlisten)
        if self._forwarder is not None:
            self._wait_for(lambda: self._last_words(reason), LAST_WORDS)
        self.closed = True
        self._tasks.put(None)
        hooks.remove()
        self._endings.remove()
        self._telling.delivery.close(LAST_SENDING)
        self._telling.runs.close(listener_is_there=self._forwarder is not None and self.context._jsc is not None)
        atexit.unregister(self.close)

    def flush(self, seconds: float = 5.0) -> bool:
        """Waits until all that happened so far is sent."""
        self._wait_for_spark(seconds)
        return self._wait_for(lambda: None, seconds) and self._telling.delivery.flush(seconds)

    def _do(self, task: Callable[[], None], *, may_drop: bool = False) -> None:
        if may_drop and self._tasks.qsize() > MANY:
            if not self._is_behind:
                log.warning("lineage cannot keep up with Spark: progress is left out")
            self._is_behind = True
        elif not self.closed:
            self._tasks.put(task)

    def _wait_for_spark(self, seconds: float) -> None:
        """Spark tells of statements in a thread of its own."""
        with contextlib.suppress(Exception):  # not a part of Spark that anybody promised
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

    def _settled(self, reason: str, and_then: Callable[[], None] = lambda: None) -> None:
        def settle() -> None:
            self._streams.settle(reason)
            and_then()

        if not self._wait_for(settle, LAST_WORDS):
            self._streams.abort(reason)  # Spark does not answer any more; what is known is told without it

    # In the agent's own thread

    def _work(self) -> None:
        pause = FORWARDING if self._forwarder is not None else BEATING
        while True:
            try:
                task = self._tasks.get(timeout=min(pause, self._settings.interval / 2))
            except queue.Empty:
                task = self._nothing
            if task is None:
                return
            self._guarded(task)
            self._guarded(self._streams.beat)
            if self._forwarder is not None:
                self._guarded(self._forwarder.pump)

    def _nothing(self) -> None:
        pass

    def _guarded(self, task: Callable[[], None]) -> None:
        try:
            task()
        except Exception:
            log.exception("lineage could not be told")

    def _parent(self) -> tuple[str, str, str] | None:
        if self._forwarder is None:
            return self._settings.parent
        self._forwarder.pump()
        return self._forwarder.application or self._settings.parent

    def _executed(self, execution: Any, problem: str | None, mark: int) -> None:
        verdict = Verdict()
        try:
            verdict = self._verdict(execution, problem)
        except Exception:
            log.exception("the columns of a statement could not be told")
        if self._forwarder is not None:
            self._forwarder.executed(mark, verdict)
        elif verdict.written is not None:
            self._tell_datasets(verdict.written)

    def _verdict(self, execution: Any, problem: str | None) -> Verdict:
        session = str(execution.sparkSession().sessionUUID())
        if session not in self._heard:
            return Verdict(of_stream=True)  # streams run in sessions of their own
        if problem is not None:
            logical = execution.logical()
            return Verdict(problem=problem, creates=commands.creates(logical))
        return Verdict(commands.of_plan(execution.analyzed(), self._sessions.get(session, self._spark)))

    def _tell_datasets(self, written: Written) -> None:
        """Without OpenLineage's listener no run is told; what is true of the dataset is."""
        for dataset in written.sink.datasets:
            output = events.output_of(dataset, written.lineage, written.schema)
            self._telling.delivery.send(events.dataset_event(output))

    def _last_words(self, reason: str) -> None:
        assert self._forwarder is not None
        self._forwarder.abort(reason)

    def _unlisten(self) -> None:
        # Here and not in the main thread, which may be in the middle of a question to Spark when SIGTERM comes.
        with contextlib.suppress(Exception):  # the session may be gone, and its listeners with it
            for session in self._sessions.values():
                self._listening.end(session)
