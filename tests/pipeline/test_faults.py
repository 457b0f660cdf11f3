"""Services go away for a while, one after the other, and come back: the application goes on, and all is right at last.

`kill -9` of the application itself is in test_pipeline.py.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from pipeline.schemas import ORDERS, ORDERS_SUBJECT
from pipeline.settings import Settings
from tests.pipeline import kafka, truth
from tests.pipeline.services import Services, environment
from tests.pipeline.streams import Streams, everything_is_right, rows_in_table, wait
from tests.support.lab import Lab
from tests.support.server import free_port

AWAY = 30_000  # milliseconds of orders that come in while a service is away

QUERIES = {"supplier-stats", "iceberg-ingestion", "orders-archive", "orders-dead-letters"}


@pytest.fixture
def streams(places: Settings, services: Services, tmp_path: Path, monkeypatch: Any) -> Iterator[Streams]:
    """Lineage goes where nobody listens yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made = Streams(replace(places, headwater=f"http://127.0.0.1:{free_port()}"), tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def producer(streams: Streams) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "pipeline.produce", "--rate", "100", "--malformed", "0.01"]
    process = subprocess.Popen(command, env=environment(streams.places), stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.wait()


def orders_of_a_while(streams: Streams) -> None:
    """Waits until the topic has half a minute more of orders."""
    end = time.time() * 1000 + AWAY
    wait(lambda: kafka.latest(streams.places, ORDERS) > end, "orders that come in meanwhile")


def more_rows(streams: Streams, spark: Any) -> None:
    before = rows_in_table(spark)
    wait(lambda: streams.runs() and rows_in_table(spark) > before, "more rows")


def test_services_that_go_away_and_come_back(
    streams: Streams, producer: "subprocess.Popen[str]", services: Services, spark: Any, tmp_path: Path
) -> None:
    more_rows(streams, spark)

    services.stop("registry")
    orders_of_a_while(streams)
    more_rows(streams, spark)  # nobody needs it for schemas that are known
    assert "continuing with the known schemas" in streams.log_text()
    services.start("registry")
    kafka.register(streams.places, ORDERS_SUBJECT, truth.evolved("after_the_fault"))
    wait(lambda: "the registry now has" in streams.log_text(), "the new version")

    services.stop("store")
    orders_of_a_while(streams)
    services.start("store")
    more_rows(streams, spark)

    services.stop("kafka")
    services.start("kafka")
    more_rows(streams, spark)

    producer.terminate()
    output, _ = producer.communicate(timeout=120)
    assert producer.returncode == 0, output
    everything_is_right(streams, spark)
    assert "Exception in thread" not in streams.log_text()
    lineage_arrives_late_but_whole(streams, tmp_path)


def lineage_arrives_late_but_whole(streams: Streams, folder: Path) -> None:
    """Headwater was away all the time, so every run has its START on this machine's disk."""
    url = streams.places.headwater
    lab = Lab(folder / "headwater")
    lab.up("--services", "headwater", "--ports", f"headwater={url.rpartition(':')[2]}")
    try:

        def events() -> list[dict[str, Any]]:
            events: list[dict[str, Any]] = httpx.get(f"{url}/api/v1/events/lineage?limit=1000").json()["events"]
            return [event for event in events if event.get("eventType")]

        def jobs_with(kind: str) -> set[str]:
            return {event["job"]["name"] for event in events() if event["eventType"] == kind}

        wait(lambda: streams.runs() and jobs_with("START") == QUERIES, "the events that waited")
        assert streams.stop() == 0
        wait(lambda: jobs_with("ABORT") == QUERIES, "the ends")
        started = {event["run"]["runId"] for event in events() if event["eventType"] == "START"}
        assert {event["run"]["runId"] for event in events()} == started
        assert {o["name"] for event in events() for o in event["outputs"]} == {
            "supplier-stats",
            "orders",
            "orders-dead-letters",
        }
    finally:
        lab.run("down")
        assert not lab.processes()
