"""What a writer of a stream or a batch writes to, read from the writer itself."""

from typing import Any, NamedTuple

from headwater.emit import naming
from headwater.emit.naming import Dataset
from headwater.spark import leaves

# They write nothing that others could read.
_NOWHERE = {"memory", "console", "noop", "foreach", "foreachbatch"}


class Sink(NamedTuple):
    format: str
    datasets: tuple[Dataset, ...] = ()
    topic: bool = False
    unknown: str | None = None
    ends: bool = False  # the query comes to an end by itself


def of_batch(writer: Any, spark: Any, table: str | None, path: str | None) -> Sink:
    """A DataFrameWriter, as it writes."""
    names = [str(field.getName()) for field in writer._jwrite.getClass().getSuperclass().getDeclaredFields()]
    values: dict[str, Any] = {}
    for field in writer._jwrite.getClass().getSuperclass().getDeclaredFields():
        if str(field.getName()) in ("source", "extraOptions"):
            field.setAccessible(True)
            values[str(field.getName())] = field.get(writer._jwrite)
    if "source" not in values:
        return Sink("", unknown=f"a writer with the fields {names}")
    options = {key.lower(): value for key, value in leaves.as_dict(values["extraOptions"]).items()}
    return _of(str(values["source"]).lower(), options, spark, table, path or options.get("path"))


def of_table(name: str, spark: Any) -> Sink:
    return _of("", {}, spark, name, None)


def of_kafka(options: dict[str, str]) -> Sink:
    topics = tuple(naming.of_topics({k: v for k, v in options.items() if k != "subscribe"}))
    unknown = None if topics else "Kafka's sink: a column chooses the topic"
    return Sink("kafka", topics, topic=True, unknown=unknown)


def of_options(kind: str, options: dict[str, str], spark: Any) -> Sink:
    """By the options of a writer."""
    return _of(kind, options, spark, None, options.get("path"))


def _of(kind: str, options: dict[str, str], spark: Any, table: str | None, path: str | None) -> Sink:
    if table is not None:
        plan = spark.table(table)._jdf.queryExecution().analyzed()
        return Sink(kind, tuple(leaves.inputs_of(plan, spark).datasets))
    if kind in _NOWHERE:
        return Sink(kind)
    if kind == "kafka":
        return of_kafka(options)
    if kind == "jdbc":
        return Sink(kind, (naming.of_jdbc(options.get("url", ""), options.get("dbtable", "")),))
    if path and kind == "iceberg" and "/" not in path:
        return of_table(path, spark)
    if path:
        return Sink(kind, (naming.of_path(leaves.absolute(path, spark)),))
    return Sink(kind, unknown=f"sink {kind}: the dataset it writes is not known")
