"""Statements that write: which dataset, from which query, under which column names.

Whatever the job calls (`df.write`, `df.writeTo`, INSERT, MERGE, CREATE TABLE AS), Spark makes a command of it, which
has all three.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from headwater.emit import naming
from headwater.emit.naming import Dataset
from headwater.spark import columns, leaves, sinks
from headwater.spark.columns import Lineage
from headwater.spark.kinds import IDENTITY
from headwater.spark.leaves import Bound, items
from headwater.spark.sinks import Sink
from headwater.spark.values import Source, Value


class Written(NamedTuple):
    """What a statement wrote. `schema` is Spark's JSON of the query behind it."""

    sink: Sink
    lineage: Lineage
    schema: str


def of_plan(plan: Any, spark: Any) -> Written | None:
    """None unless the analyzed plan is a command that writes the result of a query."""
    sink = sink_of(plan, spark)
    return None if sink is None else written_to(sink, plan, spark)


def sink_of(plan: Any, spark: Any) -> Sink | None:
    rule = _RULES.get(str(plan.getClass().getSimpleName()))
    return None if rule is None else rule(plan, spark)


def written_to(sink: Sink, plan: Any, spark: Any, bound: Bound | None = None) -> Written:
    kind = str(plan.getClass().getSimpleName())
    query = plan.query()
    lineage = columns.of_plan(query, spark, bound)
    if kind in _WITH_NAMES:
        lineage = _renamed(lineage, [str(name) for name in items(plan.outputColumnNames())])
    if kind in _ROW_LEVEL:
        lineage = _without_own_rows(lineage, sink, [str(column.name()) for column in items(plan.table().output())])
    return Written(sink, lineage.as_records() if sink.topic else lineage, str(query.schema().json()))


def creates(plan: Any) -> bool:
    """Whether the statement creates its dataset."""
    kind = str(plan.getClass().getSimpleName())
    return kind.startswith(("Create", "Replace")) and kind not in _ROW_LEVEL


def _renamed(lineage: Lineage, names: list[str]) -> Lineage:
    """Files have the names of the table's columns, not of the query's."""
    if len(names) != len(lineage.ordered):
        return lineage
    return lineage._replace(columns=dict(zip(names, lineage.ordered, strict=True)))


def _without_own_rows(lineage: Lineage, sink: Sink, names: list[str]) -> Lineage:
    """MERGE, UPDATE and DELETE rewrite rows that they do not change: that a column comes from itself says nothing."""
    own = {dataset.key for dataset in sink.datasets}
    changed: dict[str, Value] = {}
    for name in names:
        value = lineage.columns.get(name)
        if value is None:
            continue
        deps = {
            origin: kinds & ~IDENTITY if _is_itself(origin, own, name) else kinds for origin, kinds in value.own.items()
        }
        if any(deps.values()):
            changed[name] = Value({origin: kinds for origin, kinds in deps.items() if kinds})
    return lineage._replace(columns=changed)


def _is_itself(origin: Any, own: set[tuple[str, str]], name: str) -> bool:
    return isinstance(origin, Source) and (origin.namespace, origin.name) in own and origin.field == name


def _table(plan: Any, spark: Any) -> Sink:
    return _of_relation(plan.table(), spark)


def _original_table(plan: Any, spark: Any) -> Sink:
    return _of_relation(plan.originalTable(), spark)


def _of_relation(relation: Any, spark: Any) -> Sink:
    while str(relation.getClass().getSimpleName()) == "SubqueryAlias":
        relation = relation.child()
    target = leaves.of_relation(relation, spark)
    return Sink("", tuple(target.datasets), topic=target.topic, unknown=target.unknown)


def _new_table(plan: Any, spark: Any) -> Sink:
    name = plan.name()
    parts = [str(name.catalog().name()), *map(str, name.identifier().namespace()), str(name.identifier().name())]
    return sinks.of_table(".".join(f"`{part}`" for part in parts), spark)


def _catalog_table(field: str) -> "Rule":
    def rule(plan: Any, spark: Any) -> Sink:
        table = getattr(plan, field)()
        if table.storage().locationUri().isDefined():
            return Sink("", (leaves.of_catalog_table(table, spark),))
        return sinks.of_table(str(table.identifier().quotedString()), spark)

    return rule


def _files(plan: Any, spark: Any) -> Sink:
    table = plan.catalogTable()
    if table.isDefined():
        return Sink("", (leaves.of_catalog_table(table.get(), spark),))
    return _path(str(plan.outputPath().toString()), spark)


def _folder(plan: Any, spark: Any) -> Sink:
    return _path(str(plan.storage().locationUri().get().toString()), spark)


def _path(path: str, spark: Any) -> Sink:
    return Sink("", (naming.of_path(leaves.absolute(path, spark)),))


def _relation(plan: Any, spark: Any) -> Sink:
    return _of_relation(plan.logicalRelation(), spark)


def _saved(plan: Any, spark: Any) -> Sink:
    options = {key.lower(): value for key, value in leaves.as_dict(plan.options()).items()}
    provider = str(plan.dataSource().getClass().getSimpleName())
    if provider == "JdbcRelationProvider":
        return Sink("jdbc", (naming.of_jdbc(options.get("url", ""), options.get("dbtable", "")),))
    if provider == "KafkaSourceProvider":
        return sinks.of_kafka(options)
    datasets: tuple[Dataset, ...] = ()
    if "path" in options:
        datasets = (naming.of_path(leaves.absolute(options["path"], spark)),)
    return Sink(provider, datasets, unknown=None if datasets else f"{provider}: the dataset it writes is not known")


Rule = Callable[[Any, Any], Sink]

_ROW_LEVEL = {"ReplaceData", "WriteDelta"}
_WITH_NAMES = {
    "InsertIntoHadoopFsRelationCommand",
    "CreateDataSourceTableAsSelectCommand",
    "InsertIntoHiveTable",
    "CreateHiveTableAsSelectCommand",
}
_RULES: Mapping[str, Rule] = {
    "AppendData": _table,
    "OverwriteByExpression": _table,
    "OverwritePartitionsDynamic": _table,
    "ReplaceData": _original_table,
    "WriteDelta": _original_table,
    "CreateTableAsSelect": _new_table,
    "ReplaceTableAsSelect": _new_table,
    "InsertIntoHadoopFsRelationCommand": _files,
    "CreateDataSourceTableAsSelectCommand": _catalog_table("table"),
    "InsertIntoHiveTable": _catalog_table("table"),
    "CreateHiveTableAsSelectCommand": _catalog_table("tableDesc"),
    "InsertIntoDataSourceDirCommand": _folder,
    "InsertIntoHiveDirCommand": _folder,
    "InsertIntoDataSourceCommand": _relation,
    "SaveIntoDataSourceCommand": _saved,
}
