"""Spark's word on every statement that ended, whatever started it: SQL, `df.write`, a library."""

from collections.abc import Callable
from typing import Any

Executed = Callable[[Any, str | None], None]
"""Gets the execution and, if it failed, the error. Called in a thread of Spark's, which must not wait."""


def listener(executed: Executed) -> Any:
    class Listener:
        def onSuccess(self, name: str, execution: Any, nanoseconds: int) -> None:  # noqa: N802
            executed(execution, None)

        def onFailure(self, name: str, execution: Any, problem: Any) -> None:  # noqa: N802
            executed(execution, str(problem.toString()))

        class Java:
            implements = ("org.apache.spark.sql.util.QueryExecutionListener",)

    return Listener()


def listen(spark: Any, to: Any) -> None:
    from pyspark import SparkContext
    from pyspark.java_gateway import ensure_callback_server_started

    ensure_callback_server_started(SparkContext._gateway)
    spark._jsparkSession.listenerManager().register(to)


def unlisten(spark: Any, to: Any) -> None:
    spark._jsparkSession.listenerManager().unregister(to)
