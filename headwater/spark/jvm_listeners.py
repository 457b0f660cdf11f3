"""Spark's own listeners for streaming queries and statements, in Python.

PySpark's listeners ask the JVM for each field of an event, some five hundred calls for a micro-batch. These take an
event as it comes, with a call or two. All run in threads of Spark's, which must not wait.
"""

from collections.abc import Callable
from typing import Any, Protocol


class QueryObserver(Protocol):
    def announced(self, run_id: str) -> None: ...
    def progressed(self, progress: str) -> None:
        """`progress`: Spark's JSON."""

    def terminated(self, run_id: str, problem: str | None) -> None: ...


Executed = Callable[[Any, str | None], None]
"""Gets the execution of a statement that ended and, if it failed, the error."""


class _QueryListener:
    def __init__(self, observer: QueryObserver) -> None:
        self._observer = observer

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        self._observer.announced(str(event.runId().toString()))

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        self._observer.progressed(str(event.progress().json()))

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        pass

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        problem = event.exception()
        self._observer.terminated(str(event.runId().toString()), str(problem.get()) if problem.isDefined() else None)

    class Java:
        implements = ("org.apache.spark.sql.streaming.PythonStreamingQueryListener",)


class _StatementListener:
    def __init__(self, executed: Executed) -> None:
        self._executed = executed

    def onSuccess(self, name: str, execution: Any, nanoseconds: int) -> None:  # noqa: N802
        self._executed(execution, None)

    def onFailure(self, name: str, execution: Any, problem: Any) -> None:  # noqa: N802
        self._executed(execution, str(problem.toString()))

    class Java:
        implements = ("org.apache.spark.sql.util.QueryExecutionListener",)


class JvmListeners:
    """For the sessions of one application. `executed`: None if statements do not matter."""

    def __init__(self, spark: Any, observer: QueryObserver, executed: Executed | None) -> None:
        from pyspark.java_gateway import ensure_callback_server_started

        ensure_callback_server_started(spark.sparkContext._gateway)
        streaming = spark._jvm.org.apache.spark.sql.streaming
        self._for_queries = streaming.PythonStreamingQueryListenerWrapper(_QueryListener(observer))
        self._for_statements = _StatementListener(executed) if executed is not None else None

    def add_to(self, spark: Any) -> None:
        """A session notifies only its own listeners."""
        spark._jsparkSession.streams().addListener(self._for_queries)
        if self._for_statements is not None:
            spark._jsparkSession.listenerManager().register(self._for_statements)

    def remove_from(self, spark: Any) -> None:
        spark._jsparkSession.streams().removeListener(self._for_queries)
        if self._for_statements is not None:
            spark._jsparkSession.listenerManager().unregister(self._for_statements)
