"""Hooks on PySpark's methods that start, write and stop: what Spark's listeners do not report, or not at once."""

import functools
import threading
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from headwater.emit.events import now
from headwater.spark import events, sinks, streams
from headwater.spark.sinks import Sink

if TYPE_CHECKING:
    from headwater.spark.agent import Agent
    from headwater.spark.queries import Query

_original: list[tuple[type, str, Any]] = []
_current = threading.local()  # the batch that a function of foreachBatch works on
_SAVES = ("json", "parquet", "orc", "text", "csv", "xml", "save")
_TABLES = ("insertInto", "saveAsTable")
_TABLES_V2 = ("create", "replace", "createOrReplace", "append", "overwrite", "overwritePartitions")


# When functions of foreachBatch ran: from, to.
_in_batch: deque[list[datetime]] = deque(maxlen=1000)
_MILLISECOND = timedelta(milliseconds=1)  # the precision of event times
_NOT_YET = datetime.max.replace(tzinfo=UTC)


def was_in_batch(at: str) -> bool:
    """Whether a function of foreachBatch ran at that time."""
    moment = datetime.fromisoformat(at)
    return any(begin - _MILLISECOND <= moment <= end for begin, end in list(_in_batch))


class Batches:
    """The batches of one foreachBatch: their query, and what they wrote before it was known."""

    def __init__(self) -> None:
        self.query: Query | None = None
        self.waiting: list[Callable[[], None]] = []
        self.known: set[str] = set()  # writes that are reported already


def install(agent: "Agent") -> None:
    from pyspark import SparkContext
    from pyspark.sql import DataFrameWriter, DataFrameWriterV2, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    def replace(cls: type, name: str, make: Callable[[Any], Any]) -> None:
        before = getattr(cls, name)
        _original.append((cls, name, before))
        setattr(cls, name, functools.wraps(before)(make(before)))

    replace(DataStreamWriter, "start", lambda before: _starting(agent, before))
    replace(DataStreamWriter, "toTable", lambda before: _starting(agent, before))
    replace(DataStreamWriter, "foreachBatch", _batching)
    replace(StreamingQuery, "stop", lambda before: _stopping(agent, before))
    replace(SparkSession, "newSession", lambda before: _new_session(agent, before))
    replace(SparkSession, "sql", lambda before: _running_sql(agent, before))
    replace(SparkContext, "stop", lambda before: _application_stopping(agent, before))
    for name in _SAVES:
        replace(DataFrameWriter, name, lambda before: _writing(agent, before, "path"))
    for name in _TABLES:
        replace(DataFrameWriter, name, lambda before: _writing(agent, before, "table"))
    for name in _TABLES_V2:
        replace(DataFrameWriterV2, name, lambda before: _writing_table(agent, before))
    _remember_table(DataFrameWriterV2, replace)


def remove() -> None:
    while _original:
        cls, name, before = _original.pop()
        setattr(cls, name, before)


def _starting(agent: "Agent", before: Any) -> Any:
    def start(self: Any, *arguments: Any, **named: Any) -> Any:
        at = now()
        try:
            agent.listen(self._df.sparkSession)
        except Exception:
            events.log.exception("cannot listen to the progress of a query")
        query = before(self, *arguments, **named)
        agent.started(self._df.sparkSession, query, self.__dict__.get("_headwater_batches"), at)
        return query

    return start


def _safely(find: Callable[[], Sink]) -> Sink:
    try:
        return find()
    except Exception as e:
        return Sink("", unknown=f"the sink: {type(e).__name__} {str(e).splitlines()[0][:200]}")


def _batching(before: Any) -> Any:
    def foreach_batch(self: Any, func: Any) -> Any:
        batches = Batches()

        @functools.wraps(func)
        def called(df: Any, number: int) -> Any:
            _current.batches, _current.frame = batches, df
            times = [datetime.now(UTC), _NOT_YET]
            _in_batch.append(times)
            try:
                return func(df, number)
            finally:
                times[1] = datetime.now(UTC)
                _current.batches = _current.frame = None

        writer = before(self, called)
        writer.__dict__["_headwater_batches"] = batches
        return writer

    return foreach_batch


def _stopping(agent: "Agent", before: Any) -> Any:
    def stop(self: Any) -> Any:
        # A query that came to its end by itself is not aborted by a stop() that follows.
        if self.isActive:
            agent.stopping(str(self.runId))
        return before(self)

    return stop


def _application_stopping(agent: "Agent", before: Any) -> Any:
    def stop(self: Any) -> Any:
        if self is not agent.context or self._jsc is None:
            return before(self)
        agent.application_stops()
        try:
            return before(self)
        finally:
            agent.application_stopped()

    return stop


def _new_session(agent: "Agent", before: Any) -> Any:
    def new_session(self: Any) -> Any:
        session = before(self)
        try:
            agent.listen(session)
        except Exception:
            events.log.exception("cannot listen to a new session")
        return session

    return new_session


# What a function of foreachBatch writes. Other statements come from Spark's listener.


def _writing(agent: "Agent", before: Any, kind: str) -> Any:
    def write(self: Any, *arguments: Any, **named: Any) -> Any:
        nested, _current.writing = getattr(_current, "writing", False), True
        try:
            done = before(self, *arguments, **named)
        finally:
            _current.writing = nested
        if not nested:
            target = arguments[0] if arguments else named.get("path", named.get("tableName", named.get("name")))
            pair = (target, None) if kind == "table" else (None, target)
            _report_write(agent, self._df, target, lambda: sinks.of_batch(self, self._df.sparkSession, *pair))
        return done

    return write


def _writing_table(agent: "Agent", before: Any) -> Any:
    def write(self: Any, *arguments: Any, **named: Any) -> Any:
        done = before(self, *arguments, **named)
        table = self.__dict__.get("_headwater_table")
        if table is not None:
            _report_write(agent, self._df, table, lambda: sinks.of_table(table, self._df.sparkSession))
        return done

    return write


def _report_write(agent: "Agent", df: Any, target: str | None, sink: Callable[[], Sink]) -> None:
    batches, frame = getattr(_current, "batches", None), getattr(_current, "frame", None)
    if batches is not None:
        agent.wrote(streams.by_writer(batches, frame, target, df, lambda: _safely(sink)))


def _running_sql(agent: "Agent", before: Any) -> Any:
    def sql(self: Any, *arguments: Any, **named: Any) -> Any:
        df = before(self, *arguments, **named)
        batches, frame = getattr(_current, "batches", None), getattr(_current, "frame", None)
        if batches is not None:
            try:
                agent.wrote(streams.by_statement(batches, frame, repr((arguments, named)), df, self))
            except Exception:
                events.log.exception("cannot report what a batch wrote")
        return df

    return sql


def _remember_table(writer: type, replace: Callable[[type, str, Callable[[Any], Any]], None]) -> None:
    def remembering(before: Any) -> Any:
        def init(self: Any, df: Any, table: str) -> None:
            before(self, df, table)
            self.__dict__["_headwater_table"] = table

        return init

    replace(writer, "__init__", remembering)
