"""The batch reads the latest day and nothing else, and what it writes is all that is in its table afterwards."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pipeline import iceberg_ingestion, supplier_stats
from pipeline.session import CATALOG
from pipeline.tables import ORDERS_TABLE, STATS_TABLE

DAY = date(2026, 11, 15)


@pytest.fixture
def lake(spark: Any, tmp_path: Path) -> Any:
    """A session whose catalog is a folder of its own."""
    own = spark.newSession()
    own.conf.set(f"spark.sql.catalog.{CATALOG}.type", "hadoop")
    own.conf.set(f"spark.sql.catalog.{CATALOG}.warehouse", str(tmp_path))
    own.conf.set(f"spark.sql.catalog.{CATALOG}.io-impl", "org.apache.iceberg.hadoop.HadoopFileIO")
    return own


def insert(lake: Any, *orders: tuple[str, str, str]) -> None:
    """Supplier, price, time."""
    rows = ", ".join(f"('an id', 'tea', {price}, '{supplier}', TIMESTAMP '{at}')" for supplier, price, at in orders)
    lake.sql(f"INSERT INTO {ORDERS_TABLE} VALUES {rows}")


def stats(lake: Any) -> set[tuple[Any, ...]]:
    return {(r[0], str(r[1]), r[2], str(r[3]), r[4]) for r in lake.table(STATS_TABLE).collect()}


def test_there_is_nothing_to_do_without_orders(lake: Any) -> None:
    assert supplier_stats.run(lake) is None
    iceberg_ingestion.ensure_table(lake)
    assert supplier_stats.run(lake) is None


def test_the_hours_of_the_latest_day_replace_what_was_there(lake: Any) -> None:
    iceberg_ingestion.ensure_table(lake)
    insert(lake, ("Joe", "1.10", "2026-11-14 23:59:59.999"), ("Joe", "2.20", "2026-11-14 23:00:00"))
    assert supplier_stats.run(lake) == (
        f"2 orders of 2026-11-14 read from {ORDERS_TABLE}, 1 rows written to {STATS_TABLE}"
    )
    assert stats(lake) == {("Joe", "2026-11-14", 23, "3.30", 2)}
    insert(lake, ("Joe", "5.00", "2026-11-15 00:00:00"), ("Ann", "6.00", "2026-11-15 10:59:59.999"))
    insert(lake, ("Ann", "7.00", "2026-11-15 10:00:00"), ("Ann", "8.00", "2026-11-15 11:00:00"))
    supplier_stats.run(lake)
    assert stats(lake) == {
        ("Joe", "2026-11-15", 0, "5.00", 1),
        ("Ann", "2026-11-15", 10, "13.00", 2),
        ("Ann", "2026-11-15", 11, "8.00", 1),
    }


def test_only_files_of_the_latest_day_are_read(lake: Any) -> None:
    iceberg_ingestion.ensure_table(lake)
    insert(lake, *(("Joe", "1.00", f"2026-11-{day} 10:00:00") for day in range(10, 16)))
    assert supplier_stats.latest_day(lake.table(f"{ORDERS_TABLE}.partitions")) == DAY
    reading = supplier_stats.of_day(lake.table(ORDERS_TABLE), DAY)
    plan = supplier_stats.hourly(reading)._jdf.queryExecution().executedPlan().toString()
    # Iceberg answers the condition by leaving out partitions: nothing is left for Spark to compare.
    assert "bid_time >= " in plan
    assert "Filter (" not in plan
    (file,) = reading.select("_file").distinct().collect()
    assert f"bid_time_day={DAY}" in file[0]
