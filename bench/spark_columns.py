"""`python -m bench.spark_columns`: the column lineage of a large plan. Needs what `make test-spark` sets up."""

import statistics
import tempfile
import time
from typing import Any

from headwater.spark import leaves, lineage, plans


def large_plan(spark: Any, folder: str, columns: int, joins: int) -> Any:
    """Tables joined one after the other, and all their columns carried on, each with a computation on the way."""
    from pyspark.sql import functions as F

    share = columns // (joins + 1) + 1
    df = None
    for n in range(joins + 1):
        path = f"{folder}/t{n}"
        names = [f"c{n}_{i}" for i in range(share)]
        spark.createDataFrame([], "k int, " + ", ".join(f"{name} double" for name in names)).write.parquet(path)
        table = spark.read.parquet(path).withColumnRenamed("k", f"k{n}")
        table = table.select(f"k{n}", *[(F.col(name) * 2 + F.col(names[0])).alias(name) for name in names])
        df = table if df is None else df.join(table, F.col("k0") == F.col(f"k{n}"), "left")
    assert df is not None
    return df.select(*[name for name in df.columns if not name.startswith("k")][:columns])


def main() -> None:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.driver.memory", "1g").getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        for columns, joins in ((20, 1), (200, 10)):
            df = large_plan(spark, f"{folder}/{columns}", columns, joins)
            took = []
            for _ in range(6):
                start = time.perf_counter()
                result = lineage(df)
                took.append(time.perf_counter() - start)
            assert len(result.columns) == columns
            assert not result.unknown
            plan = df._jdf.queryExecution().analyzed()
            start = time.perf_counter()
            plans.read(plan)
            parsed = time.perf_counter()
            leaves.inputs_of(plan, spark)
            resolved = time.perf_counter()
            print(
                f"{columns:4} columns, {joins:2} joins: first {took[0]:.3f} s, then {statistics.median(took[1:]):.3f} s"
                f" (the plan {parsed - start:.3f} s, its relations {resolved - parsed:.3f} s)"
            )
    spark.stop()


if __name__ == "__main__":
    main()
