"""The application around the streaming queries: prepares what they need, keeps them running and stops them in order."""

import argparse
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from py4j.protocol import Py4JError

from pipeline import session, settings, topics
from pipeline.console import log
from pipeline.counts import Counts
from pipeline.jobs import Context, Job, as_uri
from pipeline.query_supervisor import CHECK_INTERVAL, GivenUp, QuerySupervisor, SupervisedQuery
from pipeline.records import KnownSchemas
from pipeline.registry import Registry, RegistryUnavailable
from pipeline.schema_catalog import RejectedFile, SchemaCatalog
from pipeline.schemas import DEAD_LETTERS, ORDERS, STATS, SUPPLIER_STATS, SUPPLIER_STATS_SUBJECT
from pipeline.topics import KafkaUnavailable

# Streams do not support it: Spark would switch it off for each query, and log that.
_STREAMING = {"spark.sql.adaptive.enabled": "false"}


def main(jobs: Sequence[Job], description: str | None, arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=description)
    names = ",".join(job.name for job in jobs)
    parser.add_argument("--only", default=names, metavar="NAMES", help=f"some of: {names}")
    parser.add_argument(
        "--every",
        default="",
        metavar="NAME=SECONDS,…",
        help="from one batch to the next ({})".format(", ".join(f"{job.name}={job.every:g}" for job in jobs)),
    )
    parser.add_argument("--max-records", type=int, default=100_000, help="at most, of the topic in one batch (100000)")
    parser.add_argument("--poll", type=float, default=3, metavar="SECONDS", help="between polls of the registry (3)")
    parser.add_argument("--patience", type=int, default=15, help="failures in a row before the application ends (15)")
    parser.add_argument("--report", type=float, default=30, metavar="SECONDS", help="between lines of progress (30)")
    parser.add_argument("--partitions", type=int, default=2, help="of topics that have to be created (2)")
    session.add_options(parser)
    options, places = settings.read(parser, arguments)
    chosen = [SupervisedQuery(job, every) for job, every in _choose(jobs, options.only, options.every, parser.error)]

    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    try:
        return run(chosen, options, places, stopped)
    except (GivenUp, ServiceMissing) as e:
        print(f"{e}", file=sys.stderr, flush=True)
        return 1
    except (Py4JError, OSError) as e:
        print(f"Spark's Java process is gone ({type(e).__name__}: {e})", file=sys.stderr, flush=True)
        return 1


def run(
    queries: Sequence[SupervisedQuery], options: argparse.Namespace, places: settings.Settings, stopped: threading.Event
) -> int:
    registry = Registry(places.registry)
    _wait(lambda: topics.ensure(places.kafka, [ORDERS, SUPPLIER_STATS, DEAD_LETTERS], options.partitions), stopped)
    stats_id = _wait(lambda: registry.register(SUPPLIER_STATS_SUBJECT, STATS), stopped)
    if stopped.is_set():
        return 0
    name = "orders-streams" if len(queries) > 1 else queries[0].job.name
    spark = session.make(name, places, options, _STREAMING)
    try:
        if places.headwater:
            import headwater.spark

            headwater.spark.attach(spark, places.headwater, places.namespace)
        counts = Counts()
        spark.streams.addListener(counts)
        catalog = _wait(lambda: SchemaCatalog(registry, RejectedFile(spark, as_uri(places.checkpoints))), stopped)
        if catalog is None:
            return 0
        catalog.watch(options.poll, stopped, log)

        def context(schemas: KnownSchemas) -> Context:
            return Context(spark, places, schemas, stats_id or 0, options.max_records)

        supervisor = QuerySupervisor(queries, catalog, context, options.patience, log)
        reported_at = time.monotonic()
        try:
            while not stopped.wait(CHECK_INTERVAL):
                supervisor.check()
                if time.monotonic() - reported_at >= options.report:
                    _report(queries, counts)
                    reported_at = time.monotonic()
        finally:
            supervisor.stop()
            _report(queries, counts)
        return 0
    finally:
        with suppress(Py4JError, OSError):
            spark.stop()


class ServiceMissing(Exception):
    """A service that the start needs did not come up."""


def _wait(ask: Callable[[], Any], stopped: threading.Event, seconds: float = 120.0) -> Any:
    """For a service that is about to start."""
    until, logged = time.monotonic() + seconds, False
    while not stopped.is_set():
        try:
            return ask()
        except (KafkaUnavailable, RegistryUnavailable) as e:
            if time.monotonic() > until:
                raise ServiceMissing(f"{e}. Is the lab up (`headwater lab status`)?") from e
            if not logged:
                log(f"{e}; waiting for it")
                logged = True
            stopped.wait(1)
    return None


def _report(queries: Sequence[SupervisedQuery], counts: Counts) -> None:
    for query in queries:
        log(f"{query.job.name}: {counts.of(query.job.name)}")


def _choose(jobs: Sequence[Job], only: str, every: str, error: Callable[[str], Any]) -> list[tuple[Job, float]]:
    known = {job.name: job for job in jobs}
    names = [name for name in only.split(",") if name]
    intervals = _intervals(every, error)
    for name in [*names, *intervals]:
        if name not in known:
            error(f"no query {name}; available: {', '.join(known)}")
    return [(known[name], intervals.get(name, known[name].every)) for name in names]


def _intervals(text: str, error: Callable[[str], Any]) -> Mapping[str, float]:
    intervals = {}
    for part in text.split(",") if text else ():
        name, _, seconds = part.partition("=")
        try:
            intervals[name] = float(seconds)
        except ValueError:
            error(f"--every takes NAME=SECONDS, not {part}")
    return intervals
