"""From Kafka's records to orders: what can be read, and why the rest cannot. Pure functions over DataFrames."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.avro.functions import from_avro

from pipeline.schemas import header

UNKNOWN_SCHEMA = "schema id not known to this query: "
"""The error of a query that meets an unknown schema; the id follows."""

OBSERVED = "records"
"""The name of the counts in a query's progress: `read` and `malformed`."""


@dataclass(frozen=True)
class KnownSchemas:
    """The schemas of the registry by id, the newest last, and the ids that records had but the registry did not."""

    schemas: Mapping[int, str]
    rejected: frozenset[int] = field(default_factory=frozenset)

    @property
    def newest(self) -> str:
        return list(self.schemas.values())[-1]


def decode(records: DataFrame, known: KnownSchemas) -> DataFrame:
    """Kafka's records with `order`, a struct, and `reason`, which says why there is none; NULL for a good order.

    A schema id that is neither known nor rejected makes the query fail (UNKNOWN_SCHEMA): to guess would lose the
    order. All versions are read as the newest one, so a field that an old order lacks has its default.
    """
    value = F.col("value")
    reason = (
        F.when(value.isNull(), F.lit("null value"))
        .when(~_has_header(value), F.lit("bad Avro: not in the format of the registry's clients"))
        .when(_has_id(value, known.rejected), F.concat(F.lit("unknown schema id "), _id(value)))
        .when(~_has_id(value, known.schemas), F.raise_error(F.concat(F.lit(UNKNOWN_SCHEMA), _id(value))))
        # What Avro cannot read comes as a struct of nothing. This field cannot be missing in an order.
        .when(F.col("order.order_id").isNull(), F.concat(F.lit("bad Avro for schema id "), _id(value)))
        .when(_price().isNull(), F.concat(F.lit("price is not a number: "), F.col("order.price")))
    )
    return records.withColumn("order", _order(value, known)).withColumn("reason", reason)


def unknown_schema_id(problem: str) -> int | None:
    """The schema id that made a query fail, if that was the reason."""
    match = re.search(re.escape(UNKNOWN_SCHEMA) + r"(\d+)", problem)
    return int(match[1]) if match else None


def unknown_ids(records: DataFrame, known: KnownSchemas) -> DataFrame:
    """All schema ids that would make a query with these schemas fail, one after the other."""
    value = F.col("value")
    is_new = _has_header(value) & ~_has_id(value, [*known.schemas, *known.rejected])
    return records.where(is_new).select(_id(value).cast("bigint").alias("id")).distinct()


def counts() -> tuple[Column, Column]:
    return F.count(F.lit(1)).alias("read"), F.count("reason").alias("malformed")


def counted(decoded: DataFrame) -> DataFrame:
    """The same rows; the query's progress counts how many were read and how many are malformed."""
    return decoded.observe(OBSERVED, *counts())


def orders(decoded: DataFrame) -> DataFrame:
    """The good ones, with a price that is a number."""
    return decoded.where(F.col("reason").isNull()).select(
        F.col("order.order_id").alias("order_id"),
        F.col("order.item").alias("item"),
        _price().alias("price"),
        F.col("order.supplier").alias("supplier"),
        F.col("order.bid_time").alias("bid_time"),
    )


def dead_letters(decoded: DataFrame) -> DataFrame:
    """The bad records, unchanged, with the reason and their position in the topic."""
    source = F.concat_ws("/", "topic", "partition", "offset")
    return decoded.where(F.col("reason").isNotNull()).select(
        "key",
        "value",
        F.array(_header("reason", F.col("reason")), _header("source", source)).alias("headers"),
    )


def _order(value: Column, known: KnownSchemas) -> Column:
    """NULL where no schema is known. Only that, so that its lineage is known field by field."""
    body = F.substring(value, 6, 2_000_000_000)  # Spark counts from 1; there is no "to the end"
    options = {"mode": "PERMISSIVE", "avroSchema": known.newest}
    first, *others = (
        (_has_id(value, {number}), from_avro(body, schema, options)) for number, schema in known.schemas.items()
    )
    chosen = F.when(*first)
    for condition, order in others:
        chosen = chosen.when(condition, order)
    return chosen


def _price() -> Column:
    return F.col("order.price").try_cast("decimal(10,2)")


def _has_header(value: Column) -> Column:
    return (F.length(value) >= 5) & (F.substring(value, 1, 1) == F.lit(b"\0"))


def _has_id(value: Column, ids: Collection[int]) -> Column:
    return F.substring(value, 1, 5).isin([F.lit(header(number)) for number in sorted(ids)])


def _id(value: Column) -> Column:
    return F.conv(F.hex(F.substring(value, 2, 4)), 16, 10)


def _header(name: str, value: Column) -> Column:
    return F.struct(F.lit(name).alias("key"), value.cast("binary").alias("value"))
