"""`python -m bench.spark_capture`: what lineage costs a Spark application, and how soon it is there.

Orders go from Kafka to `supplier-stats` and to Iceberg at once, in one application with real services, in rounds
with and without the agent. All rounds do the same work in the same JVM, so that they can be compared. Besides the
clock, the CPU time of driver and JVM is measured, which other work on the machine affects less. Needs what
`make test-spark` sets up. BENCH=quick|default|large.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from bench.orders import produce_at_once
from bench.report import SIZES as REPORT_SIZES
from bench.report import Figure, Progress, at_most, doubted, info, show
from bench.servers import BenchError, disk
from bench.spark_columns import large_plan

_TICKS = os.sysconf("SC_CLK_TCK")
_HEADWATER = (sys.executable, "-m", "headwater.cli.main")
_SERVICES = "kafka,registry,s3,metastore,headwater"
NAMESPACE = "bench"


class Sizes(NamedTuple):
    orders: int
    in_a_batch: int
    pairs: int
    warm: int  # rounds that are not counted: the JVM compiles


SIZES = {
    "quick": Sizes(60_000, 5_000, 2, 1),
    "default": Sizes(300_000, 20_000, 8, 2),
    "large": Sizes(600_000, 20_000, 16, 3),
}


class Round(NamedTuple):
    orders: float  # of both queries
    seconds: float
    cpu: float


# Starts and ends are not what a stream costs: only what lies between is measured, by the share of the topic that was
# read.
FROM, TO = 0.25, 0.9


@contextmanager
def lab(folder: Path) -> Iterator[dict[str, str]]:
    data = ("--data", str(folder))
    up = [*_HEADWATER, "lab", "up", "--detach", "--services", _SERVICES, *data]
    done = subprocess.run(up, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"the lab did not come up: {done.stderr}")
    try:
        state = json.loads((folder / "lab.json").read_bytes())
        yield {service["name"]: service["url"] for service in state["services"]}
    finally:
        subprocess.run([*_HEADWATER, "lab", "down", *data], capture_output=True, check=False)


class Bench:
    def __init__(self, urls: dict[str, str], folder: Path, sizes: Sizes) -> None:
        from headwater.lab import jars
        from pipeline import session
        from pipeline.records import KnownSchemas
        from pipeline.registry import Registry
        from pipeline.schemas import ORDER_VERSIONS, ORDERS_SUBJECT, STATS, SUPPLIER_STATS_SUBJECT
        from pipeline.settings import Settings

        programs = jars.home(jars.cache())
        jars.ensure(programs, [jars.SPARK], os.environ, lambda *_: None)
        self._url, self._folder, self._sizes, self._rounds = urls["headwater"], folder, sizes, 0
        self.places = Settings(
            kafka=urls["kafka"],
            registry=urls["registry"],
            s3=urls["s3"],
            metastore=urls["metastore"],
            checkpoints=str(folder),
            jars=str(programs / jars.SPARK),
        )
        registry = Registry(self.places.registry)
        registry.register(ORDERS_SUBJECT, ORDER_VERSIONS[1])
        self._stats_id = registry.register(SUPPLIER_STATS_SUBJECT, STATS)
        self._known = KnownSchemas(registry.versions(ORDERS_SUBJECT), frozenset())
        parser = argparse.ArgumentParser()
        session.add_options(parser)
        settings = {"spark.sql.adaptive.enabled": "false"}
        self.spark: Any = session.make("bench", self.places, parser.parse_args([]), settings)
        self.spark.sparkContext.setLogLevel("ERROR")
        self._jvm: int = self.spark.sparkContext._gateway.proc.pid

    def fill(self) -> None:
        produce_at_once(self.places.kafka, self.places.registry, self._sizes.orders)

    def round(self, capture: bool) -> Round:
        agent = self._attach() if capture else None
        queries = [self._start(job) for job in self._jobs()]
        begin, end = (self._at(queries, share) for share in (FROM, TO))
        for query in queries:
            query.stop()
        if agent is not None:
            agent.close("the round is over")
        return Round(*(after - before for after, before in zip(end, begin, strict=True)))

    def freshness(self) -> list[float]:
        """Seconds from the start of each query until the API has its run."""
        agent = self._attach()
        taken = []
        for job in self._jobs():
            began = time.perf_counter()
            query = self._start(job)
            taken.append(self._seen(job.NAME, str(query.runId)) - began)
            query.stop()
        agent.close("the round is over")
        return taken

    def windows(self) -> Figure:
        from bench import spark_windows

        self._rounds += 1
        return spark_windows.freshness(self._context(self._sizes.orders))

    def _jobs(self) -> tuple[Any, ...]:
        from pipeline import iceberg_ingestion, supplier_stats_stream

        self._rounds += 1
        return supplier_stats_stream, iceberg_ingestion

    def _attach(self) -> Any:
        import headwater.spark

        return headwater.spark.attach(self.spark, self._url, NAMESPACE, spool=self._folder / "spool")

    def _start(self, job: Any) -> Any:
        context = self._context(self._sizes.in_a_batch)

        def prepared(df: Any) -> Any:
            # One batch after the other, without a pause.
            return df.writeStream.queryName(job.NAME).option("checkpointLocation", context.checkpoint(job.NAME))

        return job.JOB.start(context, prepared)

    def _context(self, in_a_batch: int) -> Any:
        from pipeline.jobs import Context

        places = replace(self.places, checkpoints=f"{self._folder}/round-{self._rounds}")
        return Context(self.spark, places, self._known, self._stats_id, in_a_batch)

    def _at(self, queries: Sequence[Any], share: float) -> tuple[float, float, float]:
        """Orders, time and CPU time when both have read this share."""
        while True:
            rows = [_rows(query) for query in queries]
            if min(rows) >= share * self._sizes.orders:
                return sum(rows), time.perf_counter(), self._cpu()
            time.sleep(0.05)

    def _seen(self, job: str, run: str) -> float:
        """When the API has the run, with what it reads and writes."""
        until = time.perf_counter() + 60
        while time.perf_counter() < until:
            try:
                with urllib.request.urlopen(f"{self._url}/api/v1/namespaces/{NAMESPACE}/jobs/{job}") as answer:
                    shown = json.loads(answer.read())
                if shown["latestRun"]["id"] == run and shown["inputs"] and shown["outputs"]:
                    return time.perf_counter()
            except urllib.error.HTTPError as e:
                e.close()
            time.sleep(0.01)
        raise BenchError(f"the run of {job} is not in the API after a minute")

    def _cpu(self) -> float:
        ours = os.times()
        # The command name stands in brackets and may hold blanks; the numbers come after it.
        java = Path(f"/proc/{self._jvm}/stat").read_text().rpartition(")")[2].split()
        return ours.user + ours.system + (int(java[11]) + int(java[12])) / _TICKS


def _rows(query: Any) -> int:
    """All that it has read of the topic."""
    if query.exception() is not None:
        raise BenchError(f"a query failed: {query.exception()}")
    last = query._jsq.lastProgress()  # PySpark's own asks the JVM hundreds of times
    offsets = json.loads(str(last.json()))["sources"][0]["endOffset"] if last else None
    return sum(int(end) for partitions in (offsets or {}).values() for end in partitions.values())


def costs(pairs: Sequence[tuple[Round, Round]], seen: Sequence[float]) -> list[Figure]:
    """Each pair: without and with capture."""
    by_cpu = [(w.cpu / w.orders) / (o.cpu / o.orders) - 1 for o, w in pairs]
    by_clock = [(w.seconds / w.orders) / (o.seconds / o.orders) - 1 for o, w in pairs]
    off, on = ([r.orders / r.seconds for r in side] for side in zip(*pairs, strict=True))
    figures = [
        info(
            "orders/s through both queries at once, without and with capture",
            f"{statistics.median(off):,.0f} and {statistics.median(on):,.0f}",
            statistics.median(on),
        )
    ]
    for what, values in (("capture costs of CPU time for an order", by_cpu), ("… of time by the clock", by_clock)):
        mean, error = statistics.mean(values), _error(values)
        figure = at_most(what, mean, 0.03, f"{mean:+.1%} ± {error:.1%} ({len(values)} pairs)", "3 %")
        is_sure = mean + error <= 0.03
        figures.append(figure if is_sure else doubted(figure, "the rounds differ by more"))
    figures.append(
        at_most(
            "from the start of a query to its run in the API (median; worst)",
            statistics.median(seen),
            1.0,
            f"{statistics.median(seen):.2f} s; {max(seen):.2f} s",
            "1 s",
        )
    )
    return figures


def _error(values: Sequence[float]) -> float:
    """Half the 95 % confidence interval of the mean."""
    return 2 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else float("inf")


def columns(spark: Any, folder: Path) -> Figure:
    from headwater.spark import lineage

    df = large_plan(spark, str(folder / "wide"), 200, 10)
    taken = []
    for _ in range(6):
        began = time.perf_counter()
        result = lineage(df)
        taken.append(time.perf_counter() - began)
        assert len(result.columns) == 200
    what = "column lineage of 200 columns, 10 joins (the first time; median of others)"
    return at_most(what, taken[0], 1.0, f"{taken[0]:.2f} s; {statistics.median(taken[1:]):.2f} s", "1 s")


def measure(folder: Path, sizes: Sizes, progress: Progress) -> list[Figure]:
    os.environ["NO_PROXY"] = "127.0.0.1"
    progress("starting the lab")
    with lab(folder / "lab") as urls:
        bench = Bench(urls, folder, sizes)
        try:
            progress(f"producing {sizes.orders:,} orders")
            bench.fill()
            for number in range(sizes.warm):
                progress(f"warming up, {number + 1} of {sizes.warm}")
                bench.round(capture=number % 2 == 1)
            pairs = []
            for number in range(sizes.pairs):
                progress(f"rounds with and without capture, pair {number + 1} of {sizes.pairs}")
                # Alternating, so that what grows over time counts for both.
                first = bench.round(capture=number % 2 == 1)
                second = bench.round(capture=number % 2 == 0)
                pairs.append((first, second) if number % 2 == 0 else (second, first))
            progress("how soon a query is in the API")
            seen = [seconds for _ in range(sizes.pairs) for seconds in bench.freshness()]
            progress("how soon an order is in the record of its window")
            return [*costs(pairs, seen), bench.windows(), columns(bench.spark, folder)]
        finally:
            bench.spark.stop()


def main() -> int:
    name = os.environ.get("BENCH") or "default"
    if name not in SIZES:
        print(f"bench: BENCH must be one of {', '.join(SIZES)}", file=sys.stderr)
        return 2
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="headwater-bench-", dir=disk()) as folder:
            figures = measure(
                Path(folder),
                SIZES[name],
                lambda text: print(f"{time.monotonic() - began:6.1f} s  {text}", file=sys.stderr, flush=True),
            )
    except BenchError as e:
        print(f"bench: {e}", file=sys.stderr)
        return 1
    show(figures, REPORT_SIZES[name], (time.monotonic() - began) / 60)
    return 0


if __name__ == "__main__":
    sys.exit(main())
