"""supplier-stats: what each supplier sold in every five seconds, as soon as the window is complete."""

import sys

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.avro.functions import to_avro
from pyspark.sql.streaming import StreamingQuery

from pipeline import application, records
from pipeline.jobs import Context, Job, Prepared
from pipeline.schemas import STATS, SUPPLIER_STATS, header

NAME = "supplier-stats"

WINDOW, LATENESS = "5 seconds", "5 seconds"


def windows(orders: DataFrame) -> DataFrame:
    return (
        orders.withWatermark("bid_time", LATENESS)
        .groupBy(F.window("bid_time", WINDOW), "supplier")
        .agg(F.sum("price").alias("total_price"), F.count(F.lit(1)).alias("count"))
        .select(
            F.col("window.start").alias("window_start"),
            F.col("window.end").alias("window_end"),
            "supplier",
            "total_price",
            "count",
        )
    )


def as_records(stats: DataFrame, schema_id: int) -> DataFrame:
    """For Kafka, keyed by supplier, in the format of the registry's clients."""
    value = to_avro(F.struct("window_start", "window_end", "supplier", "total_price", "count"), STATS)
    return stats.select(
        F.col("supplier").cast("binary").alias("key"),
        F.concat(F.lit(header(schema_id)), value).alias("value"),
    )


def start(context: Context, prepared: Prepared) -> StreamingQuery:
    stats = windows(records.orders(context.decoded()))
    return (
        prepared(as_records(stats, context.stats_schema_id))
        .outputMode("append")
        .format("kafka")
        .option("kafka.bootstrap.servers", context.settings.kafka)
        .option("topic", SUPPLIER_STATS)
        .start()
    )


JOB = Job(NAME, start, every=2)

if __name__ == "__main__":
    sys.exit(application.main([JOB], __doc__))
