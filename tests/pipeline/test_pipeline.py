"""The whole pipeline with real services: what goes into the topic comes out everywhere, whatever happens meanwhile."""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.settings import Settings
from pipeline.supplier_stats import latest_day
from pipeline.tables import ORDERS_TABLE, PROPERTIES, STATS_TABLE
from tests.pipeline import truth
from tests.pipeline.services import Services, environment, run
from tests.pipeline.streams import Streams, everything_is_right, rows_in_table, wait
from tests.pipeline.truth import Bid

HOUR = 3_600_000


@pytest.fixture(scope="module")
def streams(places: Settings, services: Services, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Streams]:
    made = Streams(places, tmp_path_factory.mktemp("streams"))
    yield made
    made.stop()


def produce(places: Settings, *options: str) -> str:
    done = run("produce", places, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_orders_reach_windows_table_archive_and_dead_letters(streams: Streams, spark: Any) -> None:
    streams.start()
    queries = ("supplier-stats", "iceberg-ingestion", "orders-dead-letters")
    produce(streams.places, "--count", "10", "--rate", "100")
    before = everything_is_right(streams, spark)
    counted = {query: [streams.settled(query, what) for what in ("read", "malformed")] for query in queries}
    output = produce(streams.places, "--count", "1500", "--rate", "300", "--malformed", "0.05", "--late", "0.02")
    assert output.splitlines()[-1].startswith("1,500 orders delivered")
    now = everything_is_right(streams, spark)
    new, bad = len(now.all) - len(before.all), len(now.bad) - len(before.bad)
    assert new >= 1500
    assert bad > 30
    for query in queries:
        read, malformed = counted[query]
        assert [streams.settled(query, what) for what in ("read", "malformed")] == [read + new, malformed + bad]
    produce(streams.places, "--count", "100", "--rate", "100", "--late", "0.5")
    _wait_for_count(streams, "supplier-stats", "late", 1)
    table = {row.key: row.value for row in spark.sql(f"SHOW TBLPROPERTIES {ORDERS_TABLE}").collect()}
    assert PROPERTIES.items() <= table.items()
    assert "days(bid_time)" in spark.sql(f"SHOW CREATE TABLE {ORDERS_TABLE}").collect()[0][0]


def test_a_new_version_of_the_schema_is_read_while_the_queries_run(streams: Streams, spark: Any) -> None:
    streams.start()
    produce(streams.places, "--count", "300", "--rate", "300")
    produce(streams.places, "--count", "300", "--rate", "300", "--schema", "2")
    produce(streams.places, "--count", "300", "--rate", "300")
    everything_is_right(streams, spark)


def test_kill_9_loses_nothing_and_doubles_nothing(streams: Streams, spark: Any) -> None:
    streams.start()
    producer = subprocess.Popen(
        [sys.executable, "-m", "pipeline.produce", "--rate", "100", "--malformed", "0.01"],
        env=environment(streams.places),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        _wait_for_more_rows(spark)  # so it is in the midst of its work
        streams.kill()
        streams.start()
        _wait_for_more_rows(spark)
        assert streams.kill_java() == 1
        assert "Spark's Java process is gone" in streams.log_text()
        streams.start()
        _wait_for_more_rows(spark)
    finally:
        producer.terminate()  # it delivers what it has made
        output, _ = producer.communicate(timeout=60)
    assert producer.returncode == 0
    assert re.fullmatch(r"[\d,]+ orders delivered: 0 late.*", output.splitlines()[-1])
    everything_is_right(streams, spark)


def _wait_for_count(streams: Streams, query: str, what: str, least: int) -> None:
    wait(lambda: streams.runs() and streams.count(query, what) >= least, f"{least} {what} in {query}")


def _wait_for_more_rows(spark: Any) -> None:
    before = rows_in_table(spark)
    wait(lambda: rows_in_table(spark) > before, "more rows")


def test_sigterm_ends_the_application_in_order(streams: Streams) -> None:
    streams.start()
    _wait_for_count(streams, "orders-archive", "batches", 1)
    assert streams.stop() == 0
    assert re.search(r"orders-dead-letters: [\d,]+ read.*\n\Z", streams.log_text())


def test_the_batch_runs_by_spark_submit_whose_own_settings_win(streams: Streams, spark: Any, tmp_path: Path) -> None:
    if not rows_in_table(spark):
        streams.start()
        produce(streams.places, "--count", "300", "--rate", "300")
        _wait_for_more_rows(spark)
    streams.stop()
    done = _submit(streams.places, tmp_path, "--conf", "spark.sql.shuffle.partitions=3")
    day = latest_day(spark.table(f"{ORDERS_TABLE}.partitions"))
    rows = spark.table(ORDERS_TABLE).collect()
    bids = [Bid(row.order_id, row.item, row.price, row.supplier, truth.millis(row.bid_time)) for row in rows]
    that_day = [bid for bid in bids if truth.moment(bid.bid_time).date() == day]
    stats = spark.table(STATS_TABLE).collect()
    assert f"{len(that_day):,} orders of {day} read from {ORDERS_TABLE}, {len(stats):,} rows written" in done
    assert sorted(row.total_count for row in stats) == sorted(n for _, n in truth.windows(that_day, HOUR).values())
    event_log = "".join(path.read_text() for path in tmp_path.iterdir())
    assert '"App Name":"supplier_stats"' in event_log
    assert '"spark.sql.shuffle.partitions":"3"' in event_log


def _submit(places: Settings, folder: Path, *options: str) -> str:
    root = Path(__file__).parents[2]
    submit = Path(sys.executable).with_name("spark-submit")
    jars = ",".join(str(path) for path in Path(places.jars).iterdir())
    more = ("--conf", "spark.eventLog.compress=false", "--conf", "spark.eventLog.rolling.enabled=false")
    done = subprocess.run(
        [
            str(submit),
            "--jars",
            jars,
            *options,
            *more,
            str(root / "pipeline" / "supplier_stats.py"),
            "--history",
            str(folder),
        ],
        env=environment(places, PYTHONPATH=str(root), PYSPARK_PYTHON=sys.executable),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_program_that_finds_no_kafka_says_so(places: Settings) -> None:
    nowhere = replace(places, kafka="127.0.0.1:1")
    done = run("produce", nowhere, "--count", "1")
    assert done.returncode == 1
    assert "Kafka at 127.0.0.1:1 does not answer" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_name_that_is_no_query_is_refused_with_those_that_are(places: Settings) -> None:
    done = run("streams", places, "--only", "supplier-stats,nonsense")
    assert done.returncode == 2
    assert "no query nonsense; available: supplier-stats, iceberg-ingestion" in done.stderr
