"""What a streaming query reads and writes, read from the query itself: whoever started it, and however long ago."""

from typing import Any, NamedTuple

from headwater.spark import leaves, sinks
from headwater.spark.sinks import Sink


class InspectedQuery(NamedTuple):
    plan: Any  # with all columns, before the query made batches of it
    sink: Sink


def inspect_query(query: Any, spark: Any) -> InspectedQuery:
    execution = query._jsq.streamingQuery()
    trigger = str(execution.trigger().toString())
    try:
        sink = _sink(execution, spark)
    except Exception as e:
        sink = Sink("", unknown=f"the sink: {type(e).__name__} {str(e).splitlines()[0][:200]}")
    ends = trigger.startswith(("AvailableNow", "Once", "OneTime"))
    return InspectedQuery(execution.analyzedPlan(), sink._replace(ends=ends))


def _sink(execution: Any, spark: Any) -> Sink:
    target = execution.sink()
    kind = str(target.getClass().getSimpleName())
    write = _field(execution, "plan")
    if write is not None:
        if write.catalogAndIdent().isDefined():
            pair = write.catalogAndIdent().get()
            table = leaves.of_table(target, str(pair._1().name()), str(pair._2().toString()), spark)
            return Sink(kind, (table,))
        if write.catalogTable().isDefined():
            return Sink(kind, (leaves.of_catalog_table(write.catalogTable().get(), spark),))
    given = _field(execution, "extraOptions")
    options = {key.lower(): value for key, value in leaves.as_dict(given).items()} if given is not None else {}
    return sinks.of_options(_FORMATS.get(kind, kind), options, spark)


_FORMATS = {
    "KafkaTable": "kafka",
    "KafkaSink": "kafka",
    "SparkTable": "iceberg",
    "MemorySink": "memory",
    "ContinuousMemorySink": "memory",
    "ConsoleTable": "console",
    "ConsoleTable$": "console",
    "NoopTable": "noop",
    "NoopTable$": "noop",
    "ForeachBatchSink": "foreachbatch",
    "ForeachWriterTable": "foreach",
}


def _field(execution: Any, name: str) -> Any:
    """A private field."""
    cls = execution.getClass()
    while cls is not None and str(cls.getSimpleName()) != "Object":
        for field in cls.getDeclaredFields():
            if str(field.getName()) == name:
                field.setAccessible(True)
                return field.get(execution)
        cls = cls.getSuperclass()
    return None
