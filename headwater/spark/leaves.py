"""The relations that a plan reads, read from the JVM: their JSON does not say which files or topics they are."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from headwater.emit import naming
from headwater.emit.naming import Dataset
from headwater.spark.relations import Leaf
from headwater.spark.tree import Node

# Made in the driver, or known from the JSON alone.
_NOTHING_TO_ASK = {"LocalRelation", "Range", "OneRowRelation", "CTERelationRef", "UnionLoopRef", "CommandResult"}
_ID = re.compile(r"#(\d+)")

# Relations whose columns are known from elsewhere, by the id of their first column.
Bound = Mapping[int, Leaf]


class PlanInputs(NamedTuple):
    """What a plan reads: `leaves` by the id of their first column, and each dataset once with its schema."""

    leaves: dict[int, Leaf]
    datasets: dict[Dataset, str]  # the schema as Spark's JSON


def inputs_of(plan: Any, spark: Any, bound: Bound | None = None) -> PlanInputs:
    by_id: dict[int, Leaf] = {}
    datasets: dict[Dataset, str] = {}
    for leaf in _all_leaves(plan):
        kind = str(leaf.getClass().getSimpleName())
        if kind in _NOTHING_TO_ASK:
            continue
        output = leaf.output()
        match = _ID.search(str(output.toString()))
        if match is None or int(match[1]) in by_id:
            continue
        first = int(match[1])
        if bound and first in bound:
            by_id[first] = bound[first]
            continue
        relation = of_relation(leaf, spark)
        by_id[first] = Leaf(tuple(d.key for d in relation.datasets), relation.topic, unknown=relation.unknown)
        for dataset in relation.datasets:
            datasets.setdefault(dataset, str(leaf.schema().json()))
    return PlanInputs(by_id, datasets)


def of_relation(leaf: Any, spark: Any) -> "RelationDatasets":
    kind = str(leaf.getClass().getSimpleName())
    try:
        return _RULES.get(kind, _other)(leaf, spark)
    except Exception as e:
        return RelationDatasets([], unknown=f"{kind}: {type(e).__name__} {str(e).splitlines()[0][:200]}")


def _all_leaves(plan: Any) -> Iterator[Any]:
    yield from items(plan.collectLeaves())
    for subquery in items(plan.subqueriesAll()):
        yield from items(subquery.collectLeaves())


def first_id(plan: Any) -> int | None:
    """The id of the first column of a plan."""
    match = _ID.search(str(plan.output().toString()))
    return int(match[1]) if match else None


def items(sequence: Any) -> Iterator[Any]:
    """Of a Scala sequence."""
    iterator = sequence.iterator()
    while iterator.hasNext():
        yield iterator.next()


def operator_field(plan: Any, root: Node, node: Node, field: str) -> Any:
    """A field of an operator, as JSON, from the operator in the JVM. None if it is inside of a subquery."""
    waiting: list[tuple[Node, Any]] = [(root, plan)]
    while waiting:
        parsed, operator = waiting.pop()
        if parsed is node:
            return _as_json(getattr(operator, field)())
        if len(parsed.children) == 1:
            waiting.append((parsed.children[0], operator.children().head()))
        elif parsed.children:
            waiting += zip(parsed.children, items(operator.children()), strict=True)
    return None


def _as_json(value: Any) -> Any:
    """Expressions, or sequences of them."""
    if "catalyst.expressions" in str(value.getClass().getName()):
        return json.loads(str(value.toJSON()))
    return [_as_json(item) for item in items(value)]


class RelationDatasets(NamedTuple):
    """The datasets behind a relation. `unknown`: what could not be understood."""

    datasets: list[Dataset]
    topic: bool = False
    unknown: str | None = None


def _relation(leaf: Any, spark: Any) -> RelationDatasets:
    """Files, JDBC and other sources of the first generation."""
    table = leaf.catalogTable()
    if table.isDefined():
        return RelationDatasets([of_catalog_table(table.get(), spark)])
    relation = leaf.relation()
    kind = str(relation.getClass().getSimpleName())
    if kind == "HadoopFsRelation":
        return RelationDatasets([naming.of_path(str(p.toString())) for p in items(relation.location().rootPaths())])
    if kind == "JDBCRelation":
        options = relation.jdbcOptions()
        return RelationDatasets([naming.of_jdbc(str(options.url()), str(options.tableOrQuery()))])
    if kind == "KafkaRelation":
        return RelationDatasets(naming.of_topics(_kafka_options(relation)), topic=True)
    return RelationDatasets([], unknown=f"{kind}: the dataset it reads is not known")


def _kafka_options(relation: Any) -> dict[str, str]:
    """The relation has its options in private fields."""
    options: dict[str, str] = {}
    for field in relation.getClass().getDeclaredFields():
        name = str(field.getName())
        if name.endswith(("sourceOptions", "specifiedKafkaParams")):
            field.setAccessible(True)
            options.update(as_dict(field.get(relation)))
    return options


def as_dict(scala_map: Any) -> dict[str, str]:
    return {str(pair._1()): str(pair._2()) for pair in items(scala_map)}


def of_catalog_table(table: Any, spark: Any) -> Dataset:
    """A table of Spark's own catalog: its folder, with the table's name as symlink."""
    identifier = table.identifier()
    database = identifier.database()
    name = f"{database.get() if database.isDefined() else 'default'}.{identifier.table()}"
    location = table.storage().locationUri()
    link = naming.symlink(_session_catalog(spark), name)
    if not location.isDefined():
        return Dataset(*link)
    return naming.of_path(str(location.get().toString()))._replace(symlinks=(link,))


def _session_catalog(spark: Any) -> dict[str, str]:
    conf = spark.conf
    hadoop = spark._jsparkSession.sessionState().newHadoopConf()
    uri = hadoop.get("hive.metastore.uris") or conf.get("spark.hadoop.hive.metastore.uris", "") or ""
    return {"uri": uri, "warehouse": conf.get("spark.sql.warehouse.dir", "")}


def _table(leaf: Any, spark: Any) -> RelationDatasets:
    """A table of a catalog of the second generation, Iceberg's among them."""
    catalog, identifier = leaf.catalog(), leaf.identifier()
    if catalog.isDefined() and identifier.isDefined():
        return RelationDatasets(
            [of_table(leaf.table(), str(catalog.get().name()), str(identifier.get().toString()), spark)]
        )
    return _unnamed(leaf.table(), leaf, "options")


def _catalog_or_unnamed(leaf: Any, spark: Any, options: str) -> RelationDatasets:
    catalog, identifier = leaf.catalog(), leaf.identifier()
    if not catalog.isDefined() or not identifier.isDefined():
        return _unnamed(leaf.table(), leaf, options)
    name = str(identifier.get().toString())
    return RelationDatasets([of_table(leaf.table(), str(catalog.get().name()), name, spark)])


def of_table(table: Any, catalog: str, identifier: str, spark: Any) -> Dataset:
    kind = str(table.getClass().getSimpleName())
    if kind == "RowLevelOperationTable":  # what MERGE, UPDATE and DELETE make of it
        return of_table(table.table(), catalog, identifier, spark)
    if kind == "V1Table":
        return of_catalog_table(table.v1Table(), spark)
    if kind == "JDBCTable":
        options = table.jdbcOptions()
        return naming.of_jdbc(str(options.url()), str(options.tableOrQuery()))
    settings = catalog_settings(catalog, spark)
    link = naming.symlink(settings, identifier.replace("`", ""))
    location = table.properties().get("location")
    return naming.of_path(str(location))._replace(symlinks=(link,)) if location else Dataset(*link)


def catalog_settings(catalog: str, spark: Any) -> dict[str, str]:
    prefix = f"spark.sql.catalog.{catalog}."
    settings = {key: spark.conf.get(prefix + key, "") for key in ("type", "uri", "warehouse")}
    if not settings["uri"] and settings["type"] == "hive":
        settings["uri"] = _session_catalog(spark)["uri"]
    return settings


def _unnamed(table: Any, leaf: Any, options: str) -> RelationDatasets:
    kind = str(table.getClass().getSimpleName())
    if kind == "KafkaTable":
        return RelationDatasets(naming.of_topics(_case_insensitive(getattr(leaf, options)())), topic=True)
    if hasattr(table, "fileIndex") and kind.endswith("Table") and "datasources.v2" in str(table.getClass().getName()):
        return RelationDatasets([naming.of_path(str(p.toString())) for p in items(table.fileIndex().rootPaths())])
    if kind in ("RateStreamTable", "RatePerMicroBatchTable", "TextSocketTable", "MemoryStreamTable", "NoopTable$"):
        return RelationDatasets([])
    return RelationDatasets([], unknown=f"{kind}: the dataset it reads is not known")


def _case_insensitive(options: Any) -> dict[str, str]:
    """`CaseInsensitiveStringMap`, which is a Java map."""
    return {str(entry.getKey()): str(entry.getValue()) for entry in options.entrySet()}


def _streaming_table(leaf: Any, spark: Any) -> RelationDatasets:
    catalog, identifier = leaf.catalog(), leaf.identifier()
    if catalog.isDefined() and identifier.isDefined():
        return RelationDatasets(
            [of_table(leaf.table(), str(catalog.get().name()), str(identifier.get().toString()), spark)]
        )
    return _unnamed(leaf.table(), leaf, "extraOptions")


def _streaming(leaf: Any, spark: Any) -> RelationDatasets:
    """A streaming source of the first generation: files."""
    source = leaf.dataSource()
    options = as_dict(source.options())
    paths = [str(path) for path in items(source.paths())] or [options[k] for k in options if k.lower() == "path"]
    table = source.catalogTable()
    if table.isDefined():
        return RelationDatasets([of_catalog_table(table.get(), spark)])
    if paths:
        return RelationDatasets([naming.of_path(absolute(path, spark)) for path in paths])
    name = str(leaf.sourceName())
    if name in ("rate", "rate-micro-batch", "socket", "memory"):
        return RelationDatasets([])
    return RelationDatasets([], unknown=f"streaming source {name}: the dataset it reads is not known")


def absolute(path: str, spark: Any) -> str:
    """As Hadoop sees it: a relative path lies in the working folder."""
    jvm = spark._jvm
    hadoop_path = jvm.org.apache.hadoop.fs.Path(path)
    system = hadoop_path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    return str(system.makeQualified(hadoop_path).toString())


def _rdd(leaf: Any, spark: Any) -> RelationDatasets:
    if leaf.rdd().isCheckpointed():
        return RelationDatasets([], unknown="a checkpoint: the plan does not say what was before it")
    return RelationDatasets([])


def _cached(leaf: Any, spark: Any) -> RelationDatasets:
    return RelationDatasets([], unknown="a cached relation: the plan does not say what was before it")


def _hive(leaf: Any, spark: Any) -> RelationDatasets:
    return RelationDatasets([of_catalog_table(leaf.tableMeta(), spark)])


def _other(leaf: Any, spark: Any) -> RelationDatasets:
    return RelationDatasets([], unknown=f"{leaf.getClass().getSimpleName()}: the dataset it reads is not known")


_RULES: Mapping[str, Callable[[Any, Any], RelationDatasets]] = {
    "LogicalRelation": _relation,
    "HiveTableRelation": _hive,
    "DataSourceV2Relation": _table,
    "StreamingRelationV2": _streaming_table,
    "StreamingRelation": _streaming,
    "LogicalRDD": _rdd,
    "ExternalRDD": lambda leaf, spark: RelationDatasets([]),
    "InMemoryRelation": _cached,
}
