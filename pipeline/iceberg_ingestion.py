"""iceberg-ingestion: every good order into the Iceberg table `default.orders`, exactly once."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from pipeline import application, records
from pipeline.jobs import Context, Job, Prepared
from pipeline.tables import ORDERS_TABLE, PROPERTIES, properties_clause

NAME = "iceberg-ingestion"


def ensure_table(spark: SparkSession) -> None:
    spark.sql(f"""
        CREATE TABLE IF NOT EXISTS {ORDERS_TABLE} (
            order_id STRING,
            item STRING,
            price DECIMAL(10,2),
            supplier STRING,
            bid_time TIMESTAMP
        ) USING iceberg
        PARTITIONED BY (days(bid_time))
        TBLPROPERTIES ({properties_clause(PROPERTIES)})
    """)


def start(context: Context, prepared: Prepared) -> StreamingQuery:
    ensure_table(context.spark)
    return (
        prepared(records.orders(context.decoded()))
        .outputMode("append")
        .format("iceberg")
        # Around midnight a batch has orders of two days: a file for each is open, and nothing is sorted.
        .option("fanout-enabled", "true")
        .toTable(ORDERS_TABLE)
    )


JOB = Job(NAME, start, every=5)

if __name__ == "__main__":
    sys.exit(application.main([JOB], __doc__))
