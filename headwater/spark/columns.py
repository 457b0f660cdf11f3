"""`column_lineage(df)`: where the columns of a DataFrame come from, as OpenLineage's columnLineage facet."""

from typing import Any, NamedTuple

from headwater.emit.events import SPARK
from headwater.emit.naming import Dataset
from headwater.spark import leaves, operators, plans
from headwater.spark.kinds import DIRECT, INDIRECT, transformations
from headwater.spark.leaves import Bound
from headwater.spark.relations import Leaf, PlanReader
from headwater.spark.tree import parse
from headwater.spark.values import Deps, Source, Value, together, united

SCHEMA_URL = "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet"


class Lineage(NamedTuple):
    """The columns of a DataFrame. `indirect` holds for every row: filters, joins, groups, orders.
    `unknown` names what could not be understood; empty when all could."""

    columns: dict[str, Value]
    indirect: Deps
    inputs: dict[Dataset, str]  # each with its schema, as Spark's JSON
    unknown: tuple[str, ...] = ()
    ordered: tuple[Value, ...] = ()  # also those that share a name
    decoded: dict[tuple[str, str], dict[str, str]] = {}  # noqa: RUF012 the records of topics: fields and types
    encoded: dict[str, str] = {}  # noqa: RUF012 the fields of records that are made
    topics: frozenset[tuple[str, str]] = frozenset()
    counters: frozenset[tuple[str, str]] = frozenset()  # what `observe` counts: its name, and the measure's

    def as_records(self) -> "Lineage":
        """Written to a topic: if `value` holds an encoded struct, its fields are the topic's columns."""
        value = self.columns.get("value")
        if value is None or value.encoded is None or not value.encoded.fields:
            return self
        columns = dict(value.encoded.fields)
        if "key" in self.columns:
            columns.setdefault("key", self.columns["key"])
        # What is not among the fields (a header, a record id) still decides which record is written.
        return self._replace(columns=columns)

    @property
    def facet(self) -> dict[str, Any]:
        whole = united([self.indirect, *(value.own for value in self.columns.values())])
        return {
            "_producer": SPARK.url,
            "_schemaURL": SCHEMA_URL,
            "fields": {name: {"inputFields": _inputs(value.own, DIRECT)} for name, value in self.columns.items()},
            "dataset": _inputs(whole, INDIRECT),
        }


def _inputs(deps: Deps, kinds: int) -> list[dict[str, Any]]:
    return [
        {
            "namespace": origin.namespace,
            "name": origin.name,
            "field": origin.field,
            "transformations": transformations(deps[origin] & kinds),
        }
        for origin in sorted(o for o in deps if isinstance(o, Source))
        if deps[origin] & kinds
    ]


def lineage(df: Any, bound: Bound | None = None) -> Lineage:
    """Where a DataFrame's columns come from, with all that is known."""
    if not hasattr(df, "_jdf"):
        raise TypeError("column lineage needs a classic Spark session; this DataFrame is of Spark Connect")
    plan = df._jdf.queryExecution().analyzed()
    return of_plan(plan, df.sparkSession, bound)


def of_plan(plan: Any, spark: Any, bound: Bound | None = None) -> Lineage:
    inputs = leaves.inputs_of(plan, spark, bound)
    root = parse(plans.read(plan))
    reader = PlanReader(
        inputs.leaves,
        operators.RULES,
        operators.other,
        lambda node, field: leaves.operator_field(plan, root, node, field),
    )
    rows = reader.read(root)
    columns: dict[str, Value] = {}
    for column in rows.columns:
        same = columns.get(column.name)
        columns[column.name] = column.value if same is None else together([same, column.value])
    return Lineage(
        columns,
        rows.depend,
        inputs.datasets,
        tuple(reader.unknown),
        tuple(rows.values()),
        reader.decoded,
        reader.encoded,
        counters=frozenset(reader.counters),
    )


def continued(df: Any, batch: Any, before: Lineage) -> Lineage:
    """The lineage of what is made from one batch of a stream, whose own lineage is known."""
    return added(lineage(df, bound_to(batch, before)), before)


def bound_to(batch: Any, before: Lineage) -> Bound:
    first = leaves.first_id(batch._jdf.queryExecution().analyzed())
    whole = Leaf(tuple(before.topics), topic=True, values=before.ordered, depend=before.indirect)
    return {} if first is None else {first: whole}


def added(lineage: Lineage, before: Lineage) -> Lineage:
    return lineage._replace(inputs=before.inputs | lineage.inputs, unknown=(*before.unknown, *lineage.unknown))


def column_lineage(df: Any) -> dict[str, Any]:
    """The columnLineage facet of any batch or streaming DataFrame: `fields` with the direct inputs of each
    column, `dataset` with what whole rows depend on. What could not be understood is listed under
    `extractionError`, and its columns then depend on all inputs."""
    whole = lineage(df)
    return whole.facet | ({"extractionError": list(whole.unknown)} if whole.unknown else {})
