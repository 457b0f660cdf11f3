"""The streaming queries of an application, and the events that tell them. All of it in the agent's thread."""

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from headwater.emit.events import Json
from headwater.emit.run_reporter import Telling
from headwater.spark import columns, commands, events, running
from headwater.spark.columns import Lineage
from headwater.spark.commands import Written
from headwater.spark.events import Run
from headwater.spark.queries import Query
from headwater.spark.settings import Parent, Settings
from headwater.spark.sinks import Sink

if TYPE_CHECKING:
    from headwater.spark.hooks import Batches

# Statements may have another text in each batch.
MANY = 1000
# A query that Spark announced and that nobody told in this time was not started through PySpark.
OVERDUE = 2.0

log = logging.getLogger("headwater.spark")


class Streams:
    def __init__(
        self,
        spark: Any,
        telling: Telling,
        told: Settings,
        parent: Callable[[], Parent | None],
        sessions: Callable[[], list[Any]],
    ) -> None:
        self._telling, self._settings, self._parent, self._sessions = telling, told, parent, sessions
        self._version, self._application = str(spark.version), str(spark.sparkContext.appName)
        self._queries: dict[str, Query] = {}
        self._early: dict[str, list[Callable[[Query], None]]] = {}  # what came before the start was known
        self._announced: dict[str, tuple[float, str]] = {}
        self.after: str | None = None  # a signal that the job takes care of

    def started(self, spark: Any, spark_query: Any, batches: "Batches | None", at: str) -> None:
        run_id = str(spark_query.runId)
        if run_id in self._queries:
            return
        self._announced.pop(run_id, None)
        plan, sink = running.look(spark_query, spark)
        run = Run(self._settings.namespace, self._name(spark_query, sink), run_id, self._version, self._parent())
        query = Query(run, spark_query, sink, at)
        try:
            found = columns.of_plan(plan, spark)
            query.lineage = found
            query.progress.counters = found.counters
            query.unknown[run.job] = found.unknown + ((sink.unknown,) if sink.unknown else ())
            written = found.as_records() if sink.topic else found
            for dataset in sink.datasets:
                query.outputs[dataset.key] = events.output_of(dataset, written, str(plan.schema().json()))
        except Exception as e:
            # A run without columns is better than none.
            log.exception("the columns of query %s could not be told", run.job)
            query.unknown[run.job] = (f"{type(e).__name__}: {e}",)
        self._queries[run_id] = query
        self._telling.begins(query.start())
        if batches is not None:
            batches.query = query
            for write in batches.waiting:
                _guarded(write)
            batches.waiting.clear()
        for task in self._early.pop(run_id, ()):
            task(query)

    def announced(self, run_id: str, at: str) -> None:
        """By Spark; usually the one who started it tells more in a moment."""
        if run_id not in self._queries:
            self._announced[run_id] = (time.monotonic(), at)

    def progressed(self, told: Json) -> None:
        self._when_known(str(told["runId"]), lambda query: self._progressed(query, told))

    def terminated(self, run_id: str, message: str | None) -> None:
        self._when_known(run_id, lambda query: self._terminated(query, message))

    def stopping(self, run_id: str) -> None:
        self._when_known(run_id, lambda query: setattr(query, "stopped", True))

    def wrote(self, write: "Write") -> None:
        """A function of foreachBatch wrote something: looked at for each batch, understood for the first."""
        query = write.batches.query
        if query is None:
            write.batches.waiting.append(lambda: self.wrote(write))
            return
        if query.lineage is None or query.ended or (write.key is not None and write.key in write.batches.known):
            return
        sink = write.sink()
        if write.key is not None and sink is not None and not sink.unknown and len(write.batches.known) < MANY:
            write.batches.known.add(write.key)
        new = [dataset for dataset in sink.datasets if dataset.key not in query.outputs] if sink else []
        if sink is None or not new:
            return
        written = write.find(sink, query.lineage)
        query.lineage = query.lineage._replace(inputs=written.lineage.inputs)
        for dataset in new:
            output = events.output_of(dataset, written.lineage, written.schema)
            self._telling.begins(query.found(output, written.lineage.unknown))

    def beat(self) -> None:
        """A long micro-batch is no reason to look dead. And not every query is started from Python."""
        overdue = {run for run, (since, _) in self._announced.items() if time.monotonic() - since > OVERDUE}
        for spark in self._sessions() if overdue else ():
            for spark_query in spark.streams.active:
                if (run_id := str(spark_query.runId)) in overdue:
                    self.started(spark, spark_query, None, self._announced[run_id][1])
        for run_id in overdue:
            self._announced.pop(run_id, None)
            self._early.pop(run_id, None)
        for query in list(self._queries.values()):
            if not query.ended and time.monotonic() - query.told >= self._settings.interval:
                if query.spark_query.isActive:
                    self._telling.goes_on(query.running())
                else:
                    query.told = time.monotonic()  # its end is about to be told

    def settle(self, reason: str) -> None:
        for query in list(self._queries.values()):
            if query.ended:
                continue
            try:
                active = bool(query.spark_query.isActive)
                problem = None if active else query.spark_query.exception()
            except Exception:
                active, problem = True, None
            message = str(problem) if problem else None
            self._telling.ends(query.abort(reason, self.after) if active else query.terminated(message, self.after))
            self._queries.pop(query.run.id, None)

    def abort(self, reason: str) -> None:
        """Without a question to Spark, which does not answer any more. From any thread."""
        for query in list(self._queries.values()):
            if not query.ended:
                self._telling.ends(query.abort(reason))

    def _name(self, query: Any, sink: Sink) -> str:
        if query.name:
            return str(query.name)
        target = sink.datasets[0].name.strip("/").rpartition("/")[2] if sink.datasets else sink.format
        return f"{self._application}.{target}"

    def _when_known(self, run_id: str, task: Callable[[Query], None]) -> None:
        query = self._queries.get(run_id)
        if query is None:
            if run_id in self._announced:  # of others, such as those that have ended, nothing is to be told
                self._early.setdefault(run_id, []).append(task)
        elif not query.ended:
            task(query)

    def _progressed(self, query: Query, told: Json) -> None:
        query.progress.add(told)
        if time.monotonic() - query.told >= self._settings.interval:
            self._telling.goes_on(query.running())

    def _terminated(self, query: Query, message: str | None) -> None:
        self._telling.ends(query.terminated(message, self.after))
        self._queries.pop(query.run.id, None)


class Write(NamedTuple):
    """What a function of foreachBatch wrote. `key`: what it is known by from batch to batch, if by anything."""

    batches: "Batches"
    key: str | None
    sink: Callable[[], Sink | None]
    find: Callable[[Sink, Lineage], Written]  # gets the lineage of the stream up to here


def by_writer(batches: "Batches", batch: Any, key: str | None, df: Any, sink: Callable[[], Sink | None]) -> Write:
    def find(target: Sink, before: Lineage) -> Written:
        found = columns.continued(df, batch, before)
        return Written(target, found.as_records() if target.topic else found, df.schema.json())

    return Write(batches, key, sink, find)


def by_statement(batches: "Batches", batch: Any, text: str, df: Any, spark: Any) -> Write:
    plan = df._jdf.queryExecution().analyzed()

    def find(target: Sink, before: Lineage) -> Written:
        written = commands.written_to(target, plan, spark, columns.bound_to(batch, before))
        return written._replace(lineage=columns.added(written.lineage, before))

    return Write(batches, text, lambda: commands.sink_of(plan, spark), find)


def _guarded(task: Callable[[], None]) -> None:
    try:
        task()
    except Exception:
        log.exception("what a batch wrote could not be told")
