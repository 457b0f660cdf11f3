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
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from headwater.spark import columns, events, hooks
from headwater.spark.delivery import Delivery
from headwater.spark.events import Json, Run
from headwater.spark.open_runs import OpenRuns
from headwater.spark.queries import Query
from headwater.spark.settings import Settings, gather
from headwater.spark.sinks import Sink
from headwater.spark.transports import address_of, default_spool, make_transport

log = logging.getLogger("headwater.spark")

# At the end of the process: for the last events to be made, and to be sent.
LAST_WORDS, LAST_SENDING = 3.0, 3.0

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
    with _attaching:
        if is_attached(spark):
            assert _agent is not None
            return _agent
        if _agent is not None:
            _agent.close("another application was attached")
        told = gather(spark, url, namespace, interval, batch, parent, transport, spool)
        sender, place = make_transport(told.url, told.transport)
        folder = told.spool or default_spool(place)
        runs = OpenRuns(folder, address_of(told.url, told.transport))
        _agent = Agent(spark, Delivery(sender, folder), runs, told)
        return _agent


def is_attached(spark: Any) -> bool:
    """Whether this session's application is told already."""
    return _agent is not None and not _agent.closed and _agent.context is spark.sparkContext


class Agent:
    def __init__(self, spark: Any, delivery: Delivery, runs: OpenRuns, told: Settings) -> None:
        self.spark, self.context, self.delivery, self.closed = spark, spark.sparkContext, delivery, False
        self._runs, self._process = runs, os.getpid()
        self._namespace, self._interval, self._batch, self._parent = (
            told.namespace, told.interval, told.batch, told.parent,
        )  # fmt: skip
        self._version, self._application = str(spark.version), str(self.context.appName)
        self._queries: dict[str, Query] = {}
        self._early: dict[str, list[Callable[[Query], None]]] = {}  # what came before the start was known
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="headwater-agent", daemon=True)
        self._thread.start()
        self._listener = hooks.listener(self)
        self._heard: dict[str, Any] = {}  # the sessions whose queries are listened to, by their ids
        self.listen(spark)
        hooks.install(self)
        self._previous = _on_sigterm(self)
        atexit.register(self.close, "the interpreter ended")

    def listen(self, spark: Any) -> None:
        """To the queries of a session: each session tells only its own."""
        session = str(spark._jsparkSession.sessionUUID())
        if session not in self._heard:
            self._heard[session] = spark
            spark.streams.addListener(self._listener)

    # Told by the job's threads; nothing here waits

    def started(self, writer: Any, query: Any, sink: Sink, batches: "hooks.Batches | None", at: str) -> None:
        self._do(lambda: self._started(writer._df, query, sink, batches, at))

    def progressed(self, run_id: str, told: str) -> None:
        self._do(lambda: self._when_known(run_id, lambda query: self._progressed(query, told)))

    def terminated(self, run_id: str, message: str | None) -> None:
        self._do(lambda: self._when_known(run_id, lambda query: self._terminated(query, message)))

    def stopping(self, run_id: str) -> None:
        query = self._queries.get(run_id)
        if query is not None:
            query.stopped = True
        else:
            self._do(lambda: self._when_known(run_id, lambda query: setattr(query, "stopped", True)))

    def wrote(self, batches: "hooks.Batches | None", df: Any, batch: Any, sink: Callable[[], Sink]) -> None:
        """A batch was written: one of a stream's (`batches`), or one of the job's own."""
        self._do(lambda: self._wrote(batches, df, batch, sink))

    def application_stops(self) -> None:
        """Just before `spark.stop()`: afterwards nobody tells how the queries ended."""
        self._settled("the Spark session was stopped")

    def close(self, reason: str) -> None:
        """Every query that still runs is aborted, and what is to be sent is sent or kept on disk."""
        if self.closed or os.getpid() != self._process:  # a fork of the job is not the job
            return
        self._settled(reason, self._unlisten)
        self.closed = True
        self._tasks.put(None)
        hooks.remove()
        self.delivery.close(LAST_SENDING)
        self._runs.close()
        atexit.unregister(self.close)
        if self._previous is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self._previous)

    def flush(self, seconds: float = 5.0) -> bool:
        """Waits until all that happened so far is sent."""
        done = threading.Event()
        self._do(done.set)
        return done.wait(seconds) and self.delivery.flush(seconds)

    def _do(self, task: Callable[[], None]) -> None:
        if not self.closed:
            self._tasks.put(task)

    def _settled(self, reason: str, and_then: Callable[[], None] = lambda: None) -> None:
        done = threading.Event()

        def settle() -> None:
            self._settle(reason)
            and_then()
            done.set()

        self._do(settle)
        if not done.wait(LAST_WORDS):
            # Spark does not answer any more; what is known is told without it.
            for query in list(self._queries.values()):
                if not query.ended:
                    self._ended(query.abort(reason))

    # In the agent's own thread

    def _work(self) -> None:
        while True:
            try:
                task = self._tasks.get(timeout=min(1.0, self._interval / 2))
            except queue.Empty:
                self._guarded(self._beat)
                continue
            if task is None:
                return
            self._guarded(task)
            self._guarded(self._beat)

    def _guarded(self, task: Callable[[], None]) -> None:
        try:
            task()
        except Exception:
            log.exception("lineage of a query could not be told")

    def _beat(self) -> None:
        """A long micro-batch is no reason to look dead."""
        for query in list(self._queries.values()):
            if not query.ended and time.monotonic() - query.told >= self._interval:
                if query.spark_query.isActive:
                    self._runs_on(query)
                else:
                    query.told = time.monotonic()  # its end is about to be told

    def _started(self, df: Any, spark_query: Any, sink: Sink, batches: "hooks.Batches | None", at: str) -> None:
        run_id = str(spark_query.runId)
        run = Run(self._namespace, self._name(spark_query, sink), run_id, self._version, self._parent)
        query = Query(run, spark_query, sink, at)
        try:
            found = columns.lineage(df)
            query.lineage = found
            query.unknown[run.job] = found.unknown + ((sink.unknown,) if sink.unknown else ())
            written = found.as_records() if sink.topic else found
            for dataset in sink.datasets:
                query.outputs[dataset.key] = events.output_of(dataset, written, df.schema.json())
        except Exception as e:
            # A run without columns is better than none.
            log.exception("the columns of query %s could not be told", run.job)
            query.unknown[run.job] = (f"{type(e).__name__}: {e}",)
        self._queries[run_id] = query
        self._told(query.start())
        if batches is not None:
            batches.query = query
            for write in batches.waiting:
                self._guarded(write)
        for task in self._early.pop(run_id, ()):
            task(query)

    def _name(self, query: Any, sink: Sink) -> str:
        if query.name:
            return str(query.name)
        target = sink.datasets[0].name.strip("/").rpartition("/")[2] if sink.datasets else sink.format
        return f"{self._application}.{target}"

    def _when_known(self, run_id: str, task: Callable[[Query], None]) -> None:
        query = self._queries.get(run_id)
        if query is None:
            self._early.setdefault(run_id, []).append(task)
        elif not query.ended:
            task(query)

    def _progressed(self, query: Query, told: str) -> None:
        query.progress.add(json.loads(told))
        if time.monotonic() - query.told >= self._interval:
            self._runs_on(query)

    def _terminated(self, query: Query, message: str | None) -> None:
        self._ended(query.terminated(message))
        self._queries.pop(query.run.id, None)

    def _wrote(self, batches: "hooks.Batches | None", df: Any, batch: Any, sink: Callable[[], Sink]) -> None:
        if batches is None:
            if self._batch:
                self._wrote_batch(df, sink())
            return
        query = batches.query
        if query is None:
            batches.waiting.append(lambda: self._wrote(batches, df, batch, sink))
            return
        target = sink()
        new = [dataset for dataset in target.datasets if dataset.key not in query.outputs]
        if not new or query.lineage is None or query.ended:
            return
        found = columns.continued(df, batch, query.lineage)
        query.lineage = query.lineage._replace(inputs=found.inputs)
        written = found.as_records() if target.topic else found
        for dataset in new:
            output = events.output_of(dataset, written, df.schema.json())
            self._told(query.found(output, found.unknown))

    def _wrote_batch(self, df: Any, sink: Sink) -> None:
        """OpenLineage's listener tells the run; the columns, which it tells in part, are told here."""
        if not sink.datasets:
            return
        found = columns.lineage(df)
        written = found.as_records() if sink.topic else found
        for dataset in sink.datasets:
            self.delivery.send(events.dataset_event(events.output_of(dataset, written, df.schema.json())))

    # The events of a run. It is on disk before it is told: who kills us leaves it to others to end.

    def _told(self, event: Json) -> None:
        self._runs.keep(event)
        self.delivery.send(event)

    def _runs_on(self, query: Query) -> None:
        event = query.running()
        self._runs.heard(event)
        self.delivery.send(event)

    def _ended(self, event: Json) -> None:
        self._runs.keep(event)
        self.delivery.send(event, lambda: self._runs.forget(event["run"]["runId"]))

    def _unlisten(self) -> None:
        # Here and not in the main thread, which may be in the middle of a question to Spark when SIGTERM comes.
        with contextlib.suppress(Exception):  # the session may be gone, and its listeners with it
            for session in self._heard.values():
                session.streams.removeListener(self._listener)

    def _settle(self, reason: str) -> None:
        for query in list(self._queries.values()):
            if query.ended:
                continue
            try:
                active = bool(query.spark_query.isActive)
                problem = None if active else query.spark_query.exception()
            except Exception:
                active, problem = True, None
            self._ended(query.abort(reason) if active else query.terminated(str(problem) if problem else None))
            self._queries.pop(query.run.id, None)


def _on_sigterm(agent: Agent) -> Any:
    """SIGTERM ends a process without a word; here it first tells its queries. What the job itself does on
    SIGTERM is done afterwards."""
    if threading.current_thread() is not threading.main_thread():
        return None
    previous = signal.getsignal(signal.SIGTERM)
    if previous is None:
        return None

    def handle(number: int, frame: Any) -> None:
        agent.close("SIGTERM")
        if callable(previous):
            previous(number, frame)
        elif previous == signal.SIG_DFL:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, handle)
    return previous
