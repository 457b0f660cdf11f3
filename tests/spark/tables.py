"""The tables of the cases: an order system in small, with a few columns of every kind."""

from pathlib import Path
from typing import Any

SCHEMAS = {
    "orders": "id int, customer_id int, supplier string, price double, qty int, ts timestamp, note string, big bigint",
    "customers": "id int, name string, email string, country string",
    "returns": "order_id int, reason string, amount double",
    "nested": "id int, st struct<x:int,y:struct<z:int,w:string>>, items array<struct<sku:string,qty:int>>, "
    "m map<string,int>, arr array<int>, words array<string>, js string",
}
AVRO = (
    '{"type":"record","name":"order","fields":[{"name":"order_id","type":"string"},{"name":"item","type":"string"},'
    '{"name":"price","type":"double"},{"name":"bid_time","type":{"type":"long","logicalType":"timestamp-micros"}}]}'
)
NEWER_AVRO = AVRO.replace(
    '{"name":"price"', '{"name":"supplier","type":["null","string"],"default":null},{"name":"price"'
)


def create(spark: Any, folder: Path) -> dict[str, Any]:
    from pyspark.sql import functions as F
    from pyspark.sql.avro.functions import from_avro, to_avro
    from pyspark.sql.window import Window

    names: dict[str, Any] = {
        "spark": spark,
        "F": F,
        "W": Window,
        "from_avro": from_avro,
        "to_avro": to_avro,
        "AVRO": AVRO,
        "NEWER_AVRO": NEWER_AVRO,
        "folder": str(folder),
    }
    for name, schema in SCHEMAS.items():
        path = str(folder / name)
        spark.createDataFrame([], schema).write.parquet(path)
        names[name] = spark.read.parquet(path)
        names[name].createOrReplaceTempView(name)
    (folder / "incoming").mkdir()
    spark.createDataFrame([(1, 2)], "a int, b int").createOrReplaceTempView("in_memory")
    spark.sql("create temporary view paid as select id, price * qty as total, supplier from orders where qty > 0")
    spark.sql("create database if not exists shop")
    spark.sql("create table shop.stock (sku string, amount int) using parquet")
    spark.sql("create view shop.low as select sku, amount from shop.stock where amount < 10")
    spark.sql("create table lake.shop.archive (id int, price double, st struct<x:int,y:string>) using iceberg")
    for table, mode in (("stats", "copy-on-write"), ("deltas", "merge-on-read")):
        modes = ", ".join(f"'write.{way}.mode'='{mode}'" for way in ("merge", "update", "delete"))
        columns = "supplier string, n bigint, note string"
        spark.sql(f"create table lake.shop.{table} ({columns}) using iceberg tblproperties ({modes})")
    return names
