"""The lab with the orders pipeline: what the demo shows works, and what it has written stays."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from headwater.lab import iceberg, kafka
from headwater.lab.pipeline import CONNECT, NAMESPACE, QUERIES, SINKS, SOURCE
from tests.support.lab import PATIENCE, Lab, make_labs
from tests.support.server import wait_for

# With the environment's own programs first, as the demo tells people to.
PATH = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))


@pytest.fixture(scope="module")
def pipeline_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with make_labs(tmp_path_factory.mktemp("labs")) as make:
        lab = make("pipeline", {"PATH": PATH})
        lab.up("--pipeline", "--rate", "50")
        yield lab


def orders_in_the_table(lab: Lab) -> int:
    return iceberg.rows(lab.state()["values"], "default", "orders") or 0


def orders_in_the_topic(lab: Lab) -> int:
    values = lab.state()["values"]
    return kafka.records(values["host"], int(values["kafka"]), "orders")


CONNECTORS = (SOURCE, *SINKS)


def latest_runs(lab: Lab, names: Sequence[str] = QUERIES) -> dict[str, Any]:
    jobs = [
        job
        for namespace in (NAMESPACE, CONNECT)
        for job in httpx.get(f"{lab.url('headwater')}/api/v1/namespaces/{namespace}/jobs?limit=100").json()["jobs"]
    ]
    return {job["name"]: job["latestRun"] for job in jobs if job["name"] in names}


def test_everything_is_up_and_well_after_the_first_batch(pipeline_lab: Lab) -> None:
    status = pipeline_lab.status()
    assert {s["name"]: s["health"] for s in status["services"] if s["health"] != "ok"} == {}
    assert {"watch", "orders", "sinks", "odd_orders", "streams", "supplier_stats"} < {
        s["name"] for s in status["services"]
    }
    streams = next(s for s in status["services"] if s["name"] == "streams")
    assert streams["memory"] > 300 << 20  # Spark's own process is counted
    assert iceberg.rows(pipeline_lab.state()["values"], "default", "supplier_stats")


def test_the_commands_that_the_demo_names_work(pipeline_lab: Lab) -> None:
    commands = [line.strip() for line in pipeline_lab.output.splitlines() if line.startswith("  headwater ")]
    assert len(commands) >= 8
    outputs = {}
    for command in commands:
        program = shlex.split(command.replace("headwater", f"{sys.executable} -m headwater.cli.main", 1))
        done = subprocess.run(program, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        outputs[" ".join(command.split()[1:3])] = done.stdout
    assert "job:orders:iceberg-ingestion  RUNNING" in outputs["lineage dataset:s3://warehouse:supplier_stats"]
    why = next(text for name, text in outputs.items() if name.startswith("why "))
    assert "Job supplier-stats was aborted" in why
    assert "1,000 orders delivered" in outputs["lab run"]


def test_endpoints_are_passed_as_variables(pipeline_lab: Lab) -> None:
    lines = pipeline_lab.run("env").stdout
    done = subprocess.run(["sh", "-c", f"{lines}\nenv"], capture_output=True, text=True, check=True)
    variables = dict(
        line.split("=", 1) for line in done.stdout.splitlines() if line.startswith(("ORDERS_", "HEADWATER_"))
    )
    assert variables["ORDERS_KAFKA"] == pipeline_lab.url("kafka")
    assert variables["HEADWATER_URL"] == pipeline_lab.url("headwater")
    assert list(Path(variables["ORDERS_JARS"]).glob("iceberg-spark-runtime-*.jar"))
    assert Path(variables["ORDERS_CHECKPOINTS"], QUERIES[0], "commits").is_dir()


def test_a_job_that_would_share_checkpoints_with_the_labs_own_is_refused(pipeline_lab: Lab) -> None:
    done = pipeline_lab.run("run", "iceberg_ingestion")
    assert (done.returncode, "lab stop streams" in done.stderr) == (1, True)


def test_orders_that_were_made_are_there_after_down_and_up_and_more_come(pipeline_lab: Lab) -> None:
    pipeline_lab.down()
    assert not pipeline_lab.processes()
    pipeline_lab.up("--services", "kafka,metastore,headwater")
    made, written = orders_in_the_topic(pipeline_lab), orders_in_the_table(pipeline_lab)
    assert made >= written > 0
    ended = latest_runs(pipeline_lab)
    assert {name: run["state"] for name, run in ended.items()} == dict.fromkeys(QUERIES, "ABORTED")
    ended = latest_runs(pipeline_lab, CONNECTORS)
    assert {name: run["state"] for name, run in ended.items()} == dict.fromkeys(CONNECTORS, "ABORTED")
    pipeline_lab.down()
    pipeline_lab.up("--pipeline", "--rate", "50")
    wait_for(lambda: orders_in_the_table(pipeline_lab) > made, "orders beyond those that there were", PATIENCE)
    assert orders_in_the_topic(pipeline_lab) >= orders_in_the_table(pipeline_lab)
    everything = (*QUERIES, *CONNECTORS)
    wait_for(
        lambda: {run["state"] for run in latest_runs(pipeline_lab, everything).values()} == {"RUNNING"},
        "all to run",
        PATIENCE,
    )


def test_a_connector_that_fails_is_started_again(pipeline_lab: Lab) -> None:
    connect = pipeline_lab.url("connect")

    def tasks(name: str) -> list[Any]:
        return list(httpx.get(f"{connect}/connectors/{name}/status", timeout=30).json()["tasks"])

    config = httpx.get(f"{connect}/connectors/{SINKS[0]}/config", timeout=30).json()
    broken = config | {"s3.bucket.name": "nowhere"}
    httpx.put(f"{connect}/connectors/{SINKS[0]}/config", json=broken, timeout=60).raise_for_status()
    log = pipeline_lab.data / "logs" / "sinks.log"
    wait_for(lambda: f"{SINKS[0]} failed, restarting it" in log.read_text(), "the failure", PATIENCE)
    httpx.put(f"{connect}/connectors/{SINKS[0]}/config", json=config, timeout=60).raise_for_status()
    wait_for(lambda: [task["state"] for task in tasks(SINKS[0])] == ["RUNNING"], "the sink", PATIENCE)


def test_a_driver_that_is_killed_is_started_again_and_its_end_is_reported(pipeline_lab: Lab) -> None:
    before = latest_runs(pipeline_lab)
    (driver,) = [pid for pid in pipeline_lab.processes() if _words(pid)[1:3] == ["-m", "pipeline.streams"]]
    os.kill(driver, signal.SIGKILL)
    wait_for(
        lambda: all(run["id"] != before[name]["id"] for name, run in latest_runs(pipeline_lab).items()),
        "new runs",
        PATIENCE,
    )
    for run in before.values():
        shown = httpx.get(f"{pipeline_lab.url('headwater')}/api/v1/jobs/runs/{run['id']}").json()
        assert shown["state"] == "ABORTED"
        assert "killed by SIGKILL" in shown["facets"]["headwater_end"]["reason"]


def test_a_supervisor_that_is_killed_takes_the_pipeline_along(pipeline_lab: Lab) -> None:
    pipeline_lab.kill_supervisor()
    wait_for(lambda: not pipeline_lab.processes(), "the end of everything", PATIENCE)


def _words(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
