"""The streaming application as a process of its own, and whether what it made of the topic is right."""

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.schemas import DEAD_LETTERS, ORDERS, ORDERS_SUBJECT, STATS, SUPPLIER_STATS, SUPPLIER_STATS_SUBJECT
from pipeline.settings import Settings
from pipeline.tables import ORDERS_TABLE
from tests.pipeline import kafka, truth
from tests.pipeline.kafka import Message
from tests.pipeline.services import environment
from tests.pipeline.truth import Bid

# Far beyond what anything here takes: reaching it means that something hangs.
PATIENCE = 240.0

LATE = 60_000  # milliseconds from a bid to its record: no window is open for so long


# Short, so that nobody waits for long.
EVERY = "supplier-stats=1,iceberg-ingestion=2,orders-archive=4,orders-dead-letters=2"


def wait(condition: Callable[[], Any], what: str) -> None:
    """With pauses, as each look costs the machine more than the pause."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited {PATIENCE:g} s for {what}"
        time.sleep(0.5)


class Streams:
    """`python -m pipeline.streams`, which may be killed and started again."""

    def __init__(self, places: Settings, folder: Path, *options: str) -> None:
        self.places, self._options = places, options
        self.log = folder / "streams.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Unless it runs."""
        if self._process is not None and self._process.poll() is None:
            return
        options = ("--every", EVERY, "--poll", "1", "--report", "2")
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pipeline.streams", *options, *self._options],
                env=environment(self.places),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # so that Java can be killed with it
            )

    def kill(self) -> None:
        """Python and Java, at once and without a word."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(60)

    def kill_java(self) -> int:
        """And the code with which Python ends for it."""
        assert self._process is not None
        pid = self._process.pid
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            os.kill(int(child), signal.SIGKILL)
        return self._process.wait(60)

    def stop(self) -> int:
        if self._process is None:
            return 0
        self._process.terminate()
        return self._process.wait(120)

    def log_text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def count(self, query: str, what: str) -> int:
        """The latest figure that the application logged."""
        return next(reversed(self._counts(query, what)), 0)

    def settled(self, query: str, what: str) -> int:
        """The figure when it stands still, with nothing left to read. It counts from each start of the application."""
        before = len(self._counts(query, what))

        def stands_still() -> bool:
            now = self._counts(query, what)[before:]
            return self.runs() and len(now) >= 3 and len(set(now[-3:])) == 1

        wait(stands_still, f"{query} to stand still")
        return self.count(query, what)

    def _counts(self, query: str, what: str) -> list[int]:
        figures = re.findall(rf"{query}: .*?([\d,]+) {what}", self.log_text())
        return [int(figure.replace(",", "")) for figure in figures]

    def runs(self) -> bool:
        assert self._process is not None
        code = self._process.poll()
        assert code is None, f"the application ended with {code}: {self.log_text()[-3000:]}"
        return True


class Topic(NamedTuple):
    """What is in `orders`, good and bad, decided without Spark."""

    all: list[Message]
    good: dict[str, Bid]
    on_time: list[Bid]
    bad: dict[str, Message]


def topic(places: Settings) -> Topic:
    schemas = kafka.schemas(places, ORDERS_SUBJECT)
    everything = kafka.messages(places, ORDERS)
    bids = [(message, truth.bid(message.value, schemas)) for message in everything]
    good = {bid.order_id: bid for _, bid in bids if bid}
    assert len(good) == sum(bid is not None for _, bid in bids)  # the producer sends nothing twice
    on_time = [bid for message, bid in bids if bid and bid.bid_time > message.time - LATE]
    return Topic(everything, good, on_time, {message.place: message for message, bid in bids if bid is None})


def everything_is_right(streams: Streams, spark: Any) -> Topic:
    """Waits for the application to catch up, then compares all that it wrote with the topic."""
    now = topic(streams.places)
    table_is_right(streams, spark, now)
    dead_letters_are_right(streams, now)
    archive_is_right(streams, spark, now)
    windows_are_right(streams, now)
    return now


def table_is_right(streams: Streams, spark: Any, now: Topic) -> None:
    wait(lambda: streams.runs() and rows_in_table(spark) >= len(now.good), f"{len(now.good)} orders in the table")
    rows = spark.table(ORDERS_TABLE).collect()
    counts = Counter(row.order_id for row in rows)
    assert {order_id for order_id, count in counts.items() if count > 1} == set()
    assert counts.keys() == now.good.keys()
    for row in rows:
        bid = Bid(row.order_id, row.item, row.price, row.supplier, truth.millis(row.bid_time))
        assert bid == now.good[row.order_id]


def rows_in_table(spark: Any) -> int:
    """As its metadata has it: this asks no Spark job."""
    if not spark.catalog.tableExists(ORDERS_TABLE):
        return 0
    jvm = spark.sparkContext._jvm
    table = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, ORDERS_TABLE)
    snapshot = table.currentSnapshot()
    return int(snapshot.summary().get("total-records")) if snapshot else 0


def dead_letters_are_right(streams: Streams, now: Topic) -> None:
    """Each at least once: Kafka's sink writes a batch that was cut short again."""

    def dead_letters() -> dict[str, list[Message]]:
        letters = defaultdict(list)
        for letter in kafka.messages(streams.places, DEAD_LETTERS):
            letters[letter.headers["source"].decode()].append(letter)
        return letters

    wait(lambda: streams.runs() and len(dead_letters()) >= len(now.bad), f"{len(now.bad)} dead letters")
    letters = dead_letters()
    assert letters.keys() == now.bad.keys()
    for place, copies in letters.items():
        for letter in copies:
            assert (letter.key, letter.value) == (now.bad[place].key, now.bad[place].value)
            assert letter.headers["reason"]


def archive_is_right(streams: Streams, spark: Any, now: Topic) -> None:
    folder = f"{streams.places.archive}{ORDERS}"

    def enough() -> bool:
        return streams.runs() and _exists(spark, folder) and spark.read.parquet(folder).count() >= len(now.all)

    wait(enough, f"{len(now.all)} records in the archive")
    rows = spark.read.parquet(folder).collect()
    archived = sorted((row.partition, row.offset, row.key, row.value, truth.millis(row.timestamp)) for row in rows)
    assert archived == sorted((m.partition, m.offset, m.key, m.value, m.time) for m in now.all)
    assert {row.day for row in rows} == {truth.moment(message.time).date() for message in now.all}


def windows_are_right(streams: Streams, now: Topic) -> None:
    """All that are closed by now, each with one content, however often it was written."""
    watermark = max(bid.bid_time for bid in now.good.values()) - 5000
    closed = {key: stats for key, stats in truth.windows(now.on_time).items() if key[0] + truth.WINDOW <= watermark}
    recent = min(bid.bid_time for bid in now.on_time) - truth.WINDOW

    def all_windows() -> dict[tuple[int, str], set[Any]]:
        stats = defaultdict(set)
        for record in kafka.decoded(streams.places, SUPPLIER_STATS, SUPPLIER_STATS_SUBJECT, STATS):
            start = truth.millis(record["window_start"])
            assert truth.millis(record["window_end"]) == start + truth.WINDOW
            stats[start, record["supplier"]].add((record["total_price"], record["count"]))
        return stats

    wait(lambda: streams.runs() and closed.keys() <= all_windows().keys(), f"{len(closed)} windows")
    windows = {key: stats for key, stats in all_windows().items() if key[0] >= recent}
    assert {key: {stats} for key, stats in closed.items()} == {key: windows[key] for key in closed}


def _exists(spark: Any, folder: str) -> bool:
    jvm = spark.sparkContext._jvm
    path = jvm.org.apache.hadoop.fs.Path(folder)
    return bool(path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()).exists(path))
