"""supplier_stats: what each supplier sold in each hour of the latest day, from `default.orders` into
`default.supplier_stats`. A batch: it ends by itself."""

import argparse
import sys
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline import session, settings
from pipeline.tables import ORDERS_TABLE, STATS_PROPERTIES, STATS_TABLE, properties_clause

NAME = "supplier_stats"

NOTHING_YET = 3
"""The exit code when there are no orders."""


def latest_day(partitions: DataFrame) -> date | None:
    """From the table's list of partitions, without reading data."""
    day: date | None = partitions.agg(F.max("partition.bid_time_day")).collect()[0][0]
    return day


def of_day(orders: DataFrame, day: date) -> DataFrame:
    """Between two literals, which Iceberg can compare with its partitions. With a function of the column, or a subquery
    for the day, it would read the whole table."""
    start = datetime.combine(day, time())
    return orders.where((F.col("bid_time") >= _literal(start)) & (F.col("bid_time") < _literal(start + timedelta(1))))


def hourly(orders: DataFrame) -> DataFrame:
    return (
        orders.groupBy(
            "supplier", F.to_date("bid_time").alias("bid_date"), F.hour("bid_time").alias("bid_hour")
        )
        .agg(F.sum("price").alias("total_price"), F.count(F.lit(1)).alias("total_count"))
        .select("supplier", "bid_date", "bid_hour", "total_price", "total_count")
    )  # fmt: skip


def ensure_table(spark: SparkSession) -> None:
    spark.sql(f"""
        CREATE TABLE IF NOT EXISTS {STATS_TABLE} (
            supplier STRING,
            bid_date DATE,
            bid_hour INT,
            total_price DECIMAL(20,2),
            total_count BIGINT
        ) USING iceberg
        TBLPROPERTIES ({properties_clause(STATS_PROPERTIES)})
    """)


def run(spark: SparkSession) -> str | None:
    """What was done, or None when there are no orders."""
    if not spark.catalog.tableExists(ORDERS_TABLE):
        return None
    day = latest_day(spark.table(f"{ORDERS_TABLE}.partitions"))
    if day is None:
        return None
    ensure_table(spark)
    stats = hourly(of_day(spark.table(ORDERS_TABLE), day))
    stats.writeTo(STATS_TABLE).overwrite(F.lit(True))
    written = spark.table(STATS_TABLE).agg(F.count(F.lit(1)), F.sum("total_count")).collect()[0]
    return f"{written[1]:,} orders of {day} read from {ORDERS_TABLE}, {written[0]:,} rows written to {STATS_TABLE}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    session.add_options(parser)
    options, places = settings.read(parser, arguments)
    if places.headwater:
        import headwater.spark

        listener = headwater.spark.listener_settings(places.headwater, places.namespace, packages=False)
    else:
        listener = {}
    spark = session.make(NAME, places, options, listener)
    try:
        if places.headwater:
            headwater.spark.attach(spark, places.headwater, places.namespace)
        done = run(spark)
    finally:
        spark.stop()
    print(done or f"no orders in {ORDERS_TABLE} yet: start `python -m pipeline.iceberg_ingestion`", flush=True)
    return 0 if done else NOTHING_YET


def _literal(moment: datetime) -> F.Column:
    return F.lit(moment.isoformat(sep=" ")).cast("timestamp")


if __name__ == "__main__":
    sys.exit(main())
