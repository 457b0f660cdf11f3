"""The streaming queries of an application, and the events that report them. All of it in the agent's thread."""

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from headwater.emit.events import Json
from headwater.emit.run_reporter import RunReporter
from headwater.spark import columns, commands, events
from headwater.spark.columns import Lineage
from headwater.spark.commands import Written
from headwater.spark.events import Run
from headwater.spark.queries import Query
from headwater.spark.query_inspection import inspect_query
from headwater.spark.settings import Parent, Settings
from headwater.spark.sinks import Sink

if TYPE_CHECKING:
    from headwater.spark.hooks import Batches

# Statements may have another text in each batch: so many are remembered.
MAX_KNOWN_WRITES = 1000
# A query that Spark announced and that was not started in this time was not started through PySpark.
OVERDUE = 2.0

log = logging.getLogger("headwater.spark")


class Streams:
    def __init__(
        self,
        spark: Any,
        reporter: RunReporter,
        settings: Settings,
        parent: Callable[[], Parent | None],
        sessions: Callable[[], list[Any]],
    ) -> None:
        self._reporter, self._settings, self._parent, self._sessions = reporter, settings, parent, sessions
        self._version, self._application = str(spark.version), str(spark.sparkContext.appName)
        self._queries: dict[str, Query] = {}
        self._early: dict[str, list[Callable[[Query], None]]] = {}  # what came before the start
        self._announced: dict[str, tuple[float, str]] = {}
        self.signal: str | None = None  # one that the job handles itself

    def started(self, spark: Any, spark_query: Any, batches: "Batches | None", at: str) -> None:
        run_id = str(spark_query.runId)
        if run_id in self._queries:
            return
        self._announced.pop(run_id, None)
        plan, sink = inspect_query(spark_query, spark)
        run = Run(self._settings.namespace, self._name(spark_query, sink), run_id, self._version, self._parent())
        query = Query(run, spark_query, sink, at)
        try:
            lineage = columns.of_plan(plan, spark)
            query.lineage = lineage
            query.progress.counters = lineage.counters
            query.unknown[run.job] = lineage.unknown + ((sink.unknown,) if sink.unknown else ())
            written = lineage.as_records() if sink.topic else lineage
            for dataset in sink.datasets:
                query.outputs[dataset.key] = events.output_of(dataset, written, str(plan.schema().json()))
        except Exception as e:
            # A run without columns is better than none.
            log.exception("cannot report the columns of query %s", run.job)
            query.unknown[run.job] = (f"{type(e).__name__}: {e}",)
        self._queries[run_id] = query
        self._reporter.start(query.start())
        if batches is not None:
            batches.query = query
            for write in batches.waiting:
                _guarded(write)
            batches.waiting.clear()
        for task in self._early.pop(run_id, ()):
            task(query)

    def announced(self, run_id: str, at: str) -> None:
        """By Spark; usually the hook on its start follows in a moment."""
        if run_id not in self._queries:
            self._announced[run_id] = (time.monotonic(), at)

    def progressed(self, progress: Json) -> None:
        self._when_known(str(progress["runId"]), lambda query: self._progressed(query, progress))

    def terminated(self, run_id: str, message: str | None) -> None:
        self._when_known(run_id, lambda query: self._terminated(query, message))

    def stopping(self, run_id: str) -> None:
        self._when_known(run_id, lambda query: setattr(query, "stopped", True))

    def wrote(self, write: "BatchWrite") -> None:
        """A function of foreachBatch wrote something. Only the first write to a dataset is worked out."""
        query = write.batches.query
        if query is None:
            write.batches.waiting.append(lambda: self.wrote(write))
            return
        if query.lineage is None or query.ended or (write.key is not None and write.key in write.batches.known):
            return
        sink = write.sink()
        if (
            write.key is not None
            and sink is not None
            and not sink.unknown
            and len(write.batches.known) < MAX_KNOWN_WRITES
        ):
            write.batches.known.add(write.key)
        new = [dataset for dataset in sink.datasets if dataset.key not in query.outputs] if sink else []
        if sink is None or not new:
            return
        written = write.result(sink, query.lineage)
        query.lineage = query.lineage._replace(inputs=written.lineage.inputs)
        for dataset in new:
            output = events.output_of(dataset, written.lineage, written.schema)
            self._reporter.start(query.add_output(output, written.lineage.unknown))

    def heartbeat(self) -> None:
        """Reports queries whose micro-batch takes long, and finds those that were not started from Python."""
        overdue = {run for run, (since, _) in self._announced.items() if time.monotonic() - since > OVERDUE}
        for spark in self._sessions() if overdue else ():
            for spark_query in spark.streams.active:
                if (run_id := str(spark_query.runId)) in overdue:
                    self.started(spark, spark_query, None, self._announced[run_id][1])
        for run_id in overdue:
            self._announced.pop(run_id, None)
            self._early.pop(run_id, None)
        for query in list(self._queries.values()):
            if not query.ended and time.monotonic() - query.reported_at >= self._settings.interval:
                if query.spark_query.isActive:
                    self._reporter.running(query.running())
                else:
                    query.reported_at = time.monotonic()  # its end is about to be reported

    def settle(self, reason: str) -> None:
        """Ends all queries: those that Spark has ended as it says, the others by this reason."""
        for query in list(self._queries.values()):
            if query.ended:
                continue
            try:
                active = bool(query.spark_query.isActive)
                problem = None if active else query.spark_query.exception()
            except Exception:
                active, problem = True, None
            message = str(problem) if problem else None
            self._reporter.end(query.abort(reason, self.signal) if active else query.terminated(message, self.signal))
            self._queries.pop(query.run.id, None)

    def abort(self, reason: str) -> None:
        """Without asking Spark, which does not answer any more. From any thread."""
        for query in list(self._queries.values()):
            if not query.ended:
                self._reporter.end(query.abort(reason))

    def _name(self, query: Any, sink: Sink) -> str:
        if query.name:
            return str(query.name)
        target = sink.datasets[0].name.strip("/").rpartition("/")[2] if sink.datasets else sink.format
        return f"{self._application}.{target}"

    def _when_known(self, run_id: str, task: Callable[[Query], None]) -> None:
        query = self._queries.get(run_id)
        if query is None:
            if run_id in self._announced:  # others, such as those that have ended, are not reported
                self._early.setdefault(run_id, []).append(task)
        elif not query.ended:
            task(query)

    def _progressed(self, query: Query, progress: Json) -> None:
        query.progress.add(progress)
        if time.monotonic() - query.reported_at >= self._settings.interval:
            self._reporter.running(query.running())

    def _terminated(self, query: Query, message: str | None) -> None:
        self._reporter.end(query.terminated(message, self.signal))
        self._queries.pop(query.run.id, None)


class BatchWrite(NamedTuple):
    """What a function of foreachBatch wrote. `key`: what identifies the write in later batches, if anything does."""

    batches: "Batches"
    key: str | None
    sink: Callable[[], Sink | None]
    result: Callable[[Sink, Lineage], Written]  # gets the lineage of the stream up to here


def by_writer(batches: "Batches", batch: Any, key: str | None, df: Any, sink: Callable[[], Sink | None]) -> BatchWrite:
    def result(target: Sink, before: Lineage) -> Written:
        lineage = columns.continued(df, batch, before)
        return Written(target, lineage.as_records() if target.topic else lineage, df.schema.json())

    return BatchWrite(batches, key, sink, result)


def by_statement(batches: "Batches", batch: Any, text: str, df: Any, spark: Any) -> BatchWrite:
    plan = df._jdf.queryExecution().analyzed()

    def result(target: Sink, before: Lineage) -> Written:
        written = commands.written_to(target, plan, spark, columns.bound_to(batch, before))
        return written._replace(lineage=columns.added(written.lineage, before))

    return BatchWrite(batches, text, lambda: commands.sink_of(plan, spark), result)


def _guarded(task: Callable[[], None]) -> None:
    try:
        task()
    except Exception:
        log.exception("cannot report what a batch wrote")
