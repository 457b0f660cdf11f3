"""Spark's word on streaming queries and on statements, in Python.

PySpark's own listeners ask the JVM for each field of an event, some five hundred questions for a micro-batch. These
take an event as it comes, with a question or two. All is called in threads of Spark's, which must not wait.
"""

from collections.abc import Callable
from typing import Any, Protocol


class Queries(Protocol):
    def announced(self, run_id: str) -> None: ...
    def progressed(self, told: str) -> None:
        """Spark's JSON."""

    def terminated(self, run_id: str, problem: str | None) -> None: ...


Executed = Callable[[Any, str | None], None]
"""Gets the execution of a statement that ended and, if it failed, the error."""


class _OfQueries:
    def __init__(self, to: Queries) -> None:
        self._to = to

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        self._to.announced(str(event.runId().toString()))

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        self._to.progressed(str(event.progress().json()))

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        pass

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        problem = event.exception()
        self._to.terminated(str(event.runId().toString()), str(problem.get()) if problem.isDefined() else None)

    class Java:
        implements = ("org.apache.spark.sql.streaming.PythonStreamingQueryListener",)


class _OfStatements:
    def __init__(self, executed: Executed) -> None:
        self._executed = executed

    def onSuccess(self, name: str, execution: Any, nanoseconds: int) -> None:  # noqa: N802
        self._executed(execution, None)

    def onFailure(self, name: str, execution: Any, problem: Any) -> None:  # noqa: N802
        self._executed(execution, str(problem.toString()))

    class Java:
        implements = ("org.apache.spark.sql.util.QueryExecutionListener",)


class Listening:
    """To sessions of one application. `executed`: None if statements do not matter."""

    def __init__(self, spark: Any, queries: Queries, executed: Executed | None) -> None:
        from pyspark.java_gateway import ensure_callback_server_started

        ensure_callback_server_started(spark.sparkContext._gateway)
        streaming = spark._jvm.org.apache.spark.sql.streaming
        self._to_queries = streaming.PythonStreamingQueryListenerWrapper(_OfQueries(queries))
        self._to_statements = _OfStatements(executed) if executed is not None else None

    def begin(self, spark: Any) -> None:
        """Each session tells only of itself."""
        spark._jsparkSession.streams().addListener(self._to_queries)
        if self._to_statements is not None:
            spark._jsparkSession.listenerManager().register(self._to_statements)

    def end(self, spark: Any) -> None:
        spark._jsparkSession.streams().removeListener(self._to_queries)
        if self._to_statements is not None:
            spark._jsparkSession.listenerManager().unregister(self._to_statements)
