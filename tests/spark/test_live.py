"""The orders pipeline on a real broker, registry, store and catalog: what is reported of it, and under which names."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.register_assert_rewrite("tests.support.lab")

from headwater.lab import jars  # noqa: E402
from tests.spark.scripts import Job, children, started  # noqa: E402
from tests.support.lab import Lab  # noqa: E402
from tests.support.server import path_of, wait_for  # noqa: E402

# A busy machine takes a minute for Spark and the first batches.
PATIENCE = 400.0
QUERIES = ("supplier-stats", "iceberg-ingestion")
pytestmark = pytest.mark.timeout(1200)


class Live:
    """The lab, the pipeline's streams under a parent, and what Headwater knows of them."""

    def __init__(self, lab: Lab, folder: Path, programs: Path) -> None:
        self.lab, self.kafka = lab, lab.url("kafka")
        self.env = {
            "NO_PROXY": "127.0.0.1",
            "ORDERS_KAFKA": self.kafka,
            "ORDERS_REGISTRY": lab.url("registry"),
            "ORDERS_S3": lab.url("s3"),
            "ORDERS_METASTORE": lab.url("metastore"),
            "ORDERS_CHECKPOINTS": str(folder / "checkpoints"),
            "ORDERS_JARS": str(programs),
            "HEADWATER_URL": lab.url("headwater"),
            "XDG_STATE_HOME": str(folder / "state"),
        }
        self.client = httpx.Client(base_url=lab.url("headwater"), timeout=60, trust_env=False)

    def run(self, module: str, *options: str) -> None:
        command = [sys.executable, "-m", f"pipeline.{module}", *options]
        done = subprocess.run(
            command, env={**os.environ, **self.env}, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == 0, done.stderr

    def command(self) -> Sequence[str]:
        streams = [sys.executable, "-m", "pipeline.streams", "--only", ",".join(QUERIES)]
        return [sys.executable, "-m", "headwater.spark.supervise", "--pause", "0.1", "--", *streams]

    def ask(self, path: str, **query: str) -> Any:
        answer = self.client.get(path, params=query)
        return answer.json() if answer.status_code == 200 else None

    def job(self, name: str) -> Any:
        return self.ask(path_of("jobs", "orders", name))

    def states(self, name: str) -> list[str]:
        runs = self.ask(f"{path_of('jobs', 'orders', name)}/runs")
        return [run["state"] for run in runs["runs"]] if runs else []

    def progress(self, name: str) -> list[Any]:
        """Of all events of a query, the oldest first."""
        events = self.ask("/api/v1/events/lineage", limit="1000", sortDirection="asc")["events"]
        facets = [e["run"]["facets"].get("headwater_streaming") for e in events if e.get("job", {}).get("name") == name]
        return [facet for facet in facets if facet]

    def columns(self, namespace: str, dataset: str) -> dict[str, set[str]]:
        """Direct ones: `total_price` ← `orders.price:AGGREGATION`."""
        graph = self.ask("/api/v1/column-lineage", nodeId=f"dataset:{namespace}:{dataset}", depth="1")["graph"]
        return {
            node["data"]["field"]: {
                f"{i['dataset']}.{i['field']}:{way['subtype']}"
                for i in node["data"]["inputFields"]
                for way in i["transformations"]
                if way["type"] == "DIRECT"
            }
            for node in graph
            if (node["data"]["namespace"], node["data"]["dataset"]) == (namespace, dataset)
        }


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Live, Job]]:
    folder = tmp_path_factory.mktemp("live")
    programs = jars.home(jars.cache())
    jars.ensure(programs, [jars.SPARK], os.environ, lambda *_: None)
    lab = Lab(folder / "lab")
    try:
        lab.up("--services", "kafka,registry,s3,metastore,headwater")
        live = Live(lab, folder, programs / jars.SPARK)
        live.run("produce", "--rate", "2000", "--count", "6000", "--malformed", "0.02", "--late", "0.1")
        with live.client, started(live.command(), live.env) as job:
            wait_for(lambda: all(map(live.progress, QUERIES)), "the first batches", PATIENCE)
            yield live, job
    finally:
        lab.run("down")
        assert not lab.processes()


def _read(live: Live, name: str) -> int:
    return sum(facet.get("observed", {}).get("records", {}).get("read", 0) for facet in live.progress(name))


def test_names_are_physical_and_the_same_for_all_that_touch_a_dataset(live: tuple[Live, Job]) -> None:
    here, _ = live
    here.run("supplier_stats")
    kafka, warehouse = f"kafka://{here.kafka}", "s3://warehouse"

    def ends(job: str) -> tuple[list[Any], list[Any]]:
        reported = here.job(job)
        inputs, outputs = ([(d["namespace"], d["name"]) for d in reported[side]] for side in ("inputs", "outputs"))
        return inputs, outputs

    assert ends("supplier-stats") == ([(kafka, "orders")], [(kafka, "supplier-stats")])
    assert ends("iceberg-ingestion") == ([(kafka, "orders")], [(warehouse, "orders")])
    batch = "supplier_stats.overwrite_by_expression.demo_ib_default_supplier_stats"
    assert ends(batch) == ([(warehouse, "orders")], [(warehouse, "supplier_stats")])
    for table in ("orders", "supplier_stats"):
        hive = "hive://" + here.lab.url("metastore").removeprefix("thrift://")
        by_name = here.ask(path_of("datasets", hive, f"default.{table}"))
        assert (by_name["namespace"], by_name["name"]) == (warehouse, table)


def test_columns_go_from_the_records_to_the_tables(live: tuple[Live, Job]) -> None:
    here, _ = live
    kafka = f"kafka://{here.kafka}"
    assert here.columns(kafka, "supplier-stats") == {
        "window_start": {"orders.bid_time:TRANSFORMATION"},
        "window_end": {"orders.bid_time:TRANSFORMATION"},
        "supplier": {"orders.supplier:IDENTITY"},
        "total_price": {"orders.price:AGGREGATION"},
        "count": set(),
        "key": {"orders.supplier:TRANSFORMATION"},
    }
    assert here.columns("s3://warehouse", "orders")["price"] == {"orders.price:TRANSFORMATION"}


def test_offsets_lag_watermark_state_and_what_the_job_counts_are_reported(live: tuple[Live, Job]) -> None:
    here, _ = live
    wait_for(lambda: _read(here, "supplier-stats") == 6000, "all records to be counted", PATIENCE)
    progress = here.progress("supplier-stats")
    last = progress[-1]
    (source,) = last["sources"]
    assert sum(source["endOffset"]["orders"].values()) == 6000
    assert source["offsetsBehind"] == 0
    assert sum(facet.get("observed", {}).get("records", {}).get("malformed", 0) for facet in progress) > 0
    assert last["watermark"].startswith("20")
    assert last["stateRows"] > 0
    assert last["stateBytes"] > 0


def test_late_rows_are_counted(live: tuple[Live, Job]) -> None:
    here, _ = live
    here.run("produce", "--rate", "1000", "--count", "3000", "--late", "0.3")
    wait_for(lambda: sum(f["lateRows"] for f in here.progress("supplier-stats")) > 0, "late rows", PATIENCE)


def test_a_killed_driver_is_ended_and_its_queries_come_back_as_new_runs(live: tuple[Live, Job]) -> None:
    here, job = live
    (driver,) = children(job.process.pid)
    os.kill(driver, signal.SIGKILL)
    wait_for(lambda: all(here.states(name)[:2] == ["RUNNING", "ABORTED"] for name in QUERIES), "both again", PATIENCE)
    job.process.send_signal(signal.SIGTERM)
    assert job.wait() == 0, "the application ends in order"
    assert here.states("supplier-stats")[0] == "ABORTED"
