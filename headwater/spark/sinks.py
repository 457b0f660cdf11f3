"""What a writer writes to: of streams and of batches, read from the writer itself."""

from typing import Any, NamedTuple

from headwater.spark import leaves, naming
from headwater.spark.naming import Dataset

# They keep nothing that anybody else could read.
_NOWHERE = {"memory", "console", "noop", "foreach", "foreachbatch"}


class Sink(NamedTuple):
    format: str
    datasets: tuple[Dataset, ...] = ()
    topic: bool = False
    unknown: str | None = None
    ends: bool = False  # the query comes to an end by itself


class Target(NamedTuple):
    """What a DataStreamWriter was told, as it is when the query starts. To find the dataset may take longer."""

    format: str
    options: dict[str, str]
    table: str | None
    path: str | None
    ends: bool

    def sink(self, spark: Any) -> Sink:
        try:
            found = _of(self.format, self.options, spark, self.table, self.path or self.options.get("path"))
        except Exception as e:
            found = Sink(self.format, unknown=f"the sink: {type(e).__name__} {str(e).splitlines()[0][:200]}")
        return found._replace(ends=self.ends)


def of_stream(writer: Any, table: str | None, path: str | None) -> Target:
    """Spark keeps what a writer was told in private fields."""
    told = _fields(writer._jwrite, ("source", "extraOptions", "trigger", "foreachBatchWriter"))
    options = {key.lower(): value for key, value in leaves.as_dict(told["extraOptions"]).items()}
    trigger = str(told["trigger"].toString()) if told["trigger"] is not None else ""
    ends = trigger.startswith(("AvailableNow", "Once", "OneTime"))
    kind = "foreachbatch" if told["foreachBatchWriter"] is not None else str(told["source"] or "parquet").lower()
    return Target(kind, options, table, path, ends)


def _fields(obj: Any, names: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = dict.fromkeys(names)
    cls = obj.getClass()
    for name in names:
        field = cls.getDeclaredField(name)
        field.setAccessible(True)
        found[name] = field.get(obj)
    return found


def of_batch(writer: Any, spark: Any, table: str | None, path: str | None) -> Sink:
    """A DataFrameWriter, as it writes."""
    names = [str(field.getName()) for field in writer._jwrite.getClass().getSuperclass().getDeclaredFields()]
    found: dict[str, Any] = {}
    for field in writer._jwrite.getClass().getSuperclass().getDeclaredFields():
        if str(field.getName()) in ("source", "extraOptions"):
            field.setAccessible(True)
            found[str(field.getName())] = field.get(writer._jwrite)
    if "source" not in found:
        return Sink("", unknown=f"a writer with the fields {names}")
    options = {key.lower(): value for key, value in leaves.as_dict(found["extraOptions"]).items()}
    return _of(str(found["source"]).lower(), options, spark, table, path or options.get("path"))


def of_table(name: str, spark: Any) -> Sink:
    return _of("", {}, spark, name, None)


def of_kafka(options: dict[str, str]) -> Sink:
    topics = tuple(naming.of_topics({k: v for k, v in options.items() if k != "subscribe"}))
    unknown = None if topics else "Kafka's sink: the topic is told by a column"
    return Sink("kafka", topics, topic=True, unknown=unknown)


def _of(kind: str, options: dict[str, str], spark: Any, table: str | None, path: str | None) -> Sink:
    if table is not None:
        plan = spark.table(table)._jdf.queryExecution().analyzed()
        return Sink(kind, tuple(leaves.read(plan, spark).datasets))
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
    return Sink(kind, unknown=f"sink {kind}: which dataset it writes")
