"""orders-archive: every record of the topic unchanged, good or bad, into files by day."""

import sys

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQuery

from pipeline import application
from pipeline.jobs import Context, Job, Prepared
from pipeline.schemas import ORDERS

NAME = "orders-archive"


def raw(records: DataFrame) -> DataFrame:
    return records.select(
        "key", "value", "partition", "offset", "timestamp", F.to_date("timestamp").alias("day")
    )  # fmt: skip


def write(batch: DataFrame, number: int, folder: str) -> None:
    """A batch has folders of its own, and replaces what an interrupted attempt left in them."""
    (
        batch.withColumn("batch", F.lit(number))
        .write.mode("overwrite")
        .option("partitionOverwriteMode", "dynamic")
        .option("compression", "zstd")
        .partitionBy("day", "batch")
        .parquet(folder)
    )


def start(context: Context, prepared: Prepared) -> StreamingQuery:
    folder = f"{context.settings.archive.rstrip('/')}/{ORDERS}"
    return prepared(raw(context.records())).foreachBatch(lambda batch, number: write(batch, number, folder)).start()


JOB = Job(NAME, start, every=20, decodes=False)

if __name__ == "__main__":
    sys.exit(application.main([JOB], __doc__))
