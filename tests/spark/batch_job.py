"""The orders batch and other statements, reported by OpenLineage's listener and our agent: a process of its own, as the
listener has to be there from the start. Its argument names what it does."""

import os
import sys
from pathlib import Path
from typing import Any

import headwater.spark

DAY = "2026-11-15"
JARS = sorted((Path(sys.prefix) / "spark-jars").glob("*.jar"))


def session(url: str, folder: str) -> Any:
    from pyspark.sql import SparkSession

    lake = "spark.sql.catalog.demo_ib"
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("Supplier Stats")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "768m")
        .config("spark.driver.extraJavaOptions", f"-XX:TieredStopAtLevel=1 -Dderby.system.home={folder}")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
        .config("spark.jars", ",".join(map(str, JARS)))
        .config(map={lake: "org.apache.iceberg.spark.SparkCatalog", f"{lake}.type": "hadoop"})
        .config(f"{lake}.warehouse", f"{folder}/lake")
        .config(map=headwater.spark.listener_settings(url, "orders", packages=False, spool=f"{folder}/spool"))
    )
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def orders(spark: Any) -> None:
    spark.sql(
        "create table if not exists demo_ib.default.orders (order_id string, item string, price decimal(10,2), "
        "supplier string, bid_time timestamp) using iceberg partitioned by (days(bid_time))"
    )
    spark.sql(
        "insert into demo_ib.default.orders select cast(id as string), 'pen', cast(id as decimal(10,2)), 'Bob', "
        f"timestamp'{DAY} 10:00:00' from range(100)"
    )


def supplier_stats(spark: Any) -> None:
    from pyspark.sql import functions as F

    spark.sql(
        "create table if not exists demo_ib.default.supplier_stats (supplier string, bid_date date, bid_hour int, "
        "total_price decimal(20,2), total_count bigint) using iceberg"
    )
    day = spark.table("demo_ib.default.orders").where(
        f"bid_time >= timestamp'{DAY}' and bid_time < timestamp'{DAY}' + interval 1 day"
    )
    stats = day.groupBy("supplier", F.to_date("bid_time").alias("bid_date"), F.hour("bid_time").alias("bid_hour"))
    sums = stats.agg(F.sum("price").alias("total_price"), F.count(F.lit(1)).alias("total_count"))
    sums.writeTo("demo_ib.default.supplier_stats").overwrite(F.lit(True))


def statements(spark: Any) -> None:
    spark.sql(
        "create table demo_ib.default.counts using iceberg as "
        "select supplier, count(*) n from demo_ib.default.orders group by supplier"
    )
    spark.sql(
        "merge into demo_ib.default.counts t using (select supplier, count(*) n from demo_ib.default.orders "
        "group by supplier) s on t.supplier = s.supplier when matched then update set n = s.n"
    )
    spark.sql(
        "insert overwrite demo_ib.default.counts "
        "select item, count(*) from demo_ib.default.orders where price > 5 group by item"
    )
    other = spark.newSession()
    other.sql("create table copies (item string, price double) using parquet")
    other.table("demo_ib.default.orders").selectExpr("item", "cast(price as double) * 2 as twice").write.insertInto(
        "copies"
    )


def failures(spark: Any) -> None:
    import contextlib

    for statement in (
        "create table demo_ib.default.orders (other int) using iceberg",
        "create table demo_ib.default.never (x int) using iceberg location 'nowhere://x/y'",
        "select no_such_column from demo_ib.default.orders",
        "insert into demo_ib.default.orders "
        "select order_id, item, price, raise_error(item), bid_time from demo_ib.default.orders",
    ):
        with contextlib.suppress(Exception):
            spark.sql(statement)


def stream(spark: Any) -> None:
    """In the same application as batches."""
    rate = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 3).load()
    writer = rate.selectExpr("value * 2 as twice").writeStream.queryName("doubled").format("parquet")
    folder = _folder(spark)
    writer.option("checkpointLocation", f"{folder}/cp").trigger(once=True).start(f"{folder}/out").awaitTermination()

    def write(batch: Any, number: int) -> None:
        batch.write.mode("append").parquet(f"{folder}/out-of-batches")
        batch.createOrReplaceTempView("batch")
        batch.sparkSession.sql("insert into demo_ib.default.counts select 'all', count(*) from batch")

    writer = rate.writeStream.queryName("batches").foreachBatch(write).option("checkpointLocation", f"{folder}/cp2")
    writer.trigger(once=True).start().awaitTermination()


def reading(spark: Any) -> None:
    """What writes nothing."""
    spark.read.parquet(str(_folder(spark) / "out")).count()
    spark.sparkContext.parallelize([1, 2]).map(lambda n: n + 1).collect()


def _folder(spark: Any) -> Path:
    return Path(spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:")).parent


def fail(spark: Any) -> None:
    raise RuntimeError("the job's own fault")


def wait(spark: Any) -> None:
    import time

    (_folder(spark) / "pid").write_text(str(os.getpid()))
    time.sleep(600)


def stop(spark: Any) -> None:
    spark.stop()


def main() -> None:
    url, folder, *steps = sys.argv[1:]
    spark = _start(url, folder, steps)
    for step in steps:
        if step == "again":
            spark = _start(url, folder, steps)
        elif step != "detached":
            globals()[step](spark)


def _start(url: str, folder: str, steps: list[str]) -> Any:
    spark = session(url, folder)
    if "detached" not in steps:
        headwater.spark.attach(spark, interval=0.5)
    return spark


if __name__ == "__main__":
    main()
