"""The transform in workers that end, in several workers, with a Headwater that is away, and beside a watcher."""

import signal
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import httpx
import pytest

from headwater.watch.connect.runs import run_id
from tests.connect.cluster import PATIENCE, Cluster, Json, Watching
from tests.connect.smt import sink, smt, source, workers
from tests.connect.worker import Worker
from tests.support.server import Server, wait_for

K = "org.apache.kafka.connect.transforms."


@pytest.fixture
def pair(cluster: Cluster, tmp_path: Path) -> Iterator[tuple[Worker, Worker]]:
    group = f"smt-{time.time_ns()}"
    made = Worker(cluster, tmp_path, group), Worker(cluster, tmp_path, group)
    yield made
    for worker in made:
        worker.end(signal.SIGKILL)


def put(worker: Worker, name: str, config: Json) -> None:
    def done() -> bool:
        return httpx.put(f"{worker.url}/connectors/{name}/config", json=config, timeout=120).status_code in (200, 201)

    wait_for(done, f"{name} to be made", PATIENCE)


def test_a_worker_that_is_stopped_ends_its_runs(cluster: Cluster, pair: tuple[Worker, Worker]) -> None:
    worker = pair[0].start()
    put(worker, "termed", source(cluster, "termed", **smt(cluster)))
    cluster.wait_runs("termed", "RUNNING")
    worker.end(signal.SIGTERM)
    (run,) = cluster.wait_runs("termed", "ABORTED")
    assert run["facets"]["headwater_end"]["reason"] == "the worker was stopped"


def test_a_worker_that_was_killed_and_comes_back_ends_the_run_that_nobody_ended(
    cluster: Cluster, pair: tuple[Worker, Worker]
) -> None:
    worker = pair[0].start()
    put(worker, "killed", source(cluster, "killed", **smt(cluster)))
    cluster.wait_runs("killed", "RUNNING")
    worker.end(signal.SIGKILL)
    worker.start()
    _, before = cluster.wait_runs("killed", "RUNNING", "ABORTED")
    assert before["facets"]["headwater_end"]["reason"] == "its worker stopped reporting"


def test_tasks_on_two_workers_are_one_run_that_ends_with_the_last_of_them(
    cluster: Cluster, pair: tuple[Worker, Worker]
) -> None:
    one, two = pair[0].start(), pair[1].start()
    cluster.topic("spread", partitions=2)
    cluster.produce("spread", *[b"%d" % n for n in range(100)])
    config = sink(cluster, "spread", **smt(cluster)) | {"tasks.max": "2"}
    put(one, "spread", config)

    def tasks() -> list[list[int]]:
        return sorted(w["tasks"] for w in workers(cluster, "spread") if w["open"])

    wait_for(lambda: tasks() == [[0], [1]], "a task on each", PATIENCE)
    (run,) = cluster.wait_runs("spread", "RUNNING")
    two.end(signal.SIGTERM)
    wait_for(lambda: tasks() == [[0, 1]], "both tasks on one", PATIENCE)
    assert [r["id"] for r in cluster.wait_runs("spread", "RUNNING")] == [run["id"]]
    two.start()
    wait_for(lambda: tasks() == [[0], [1]], "a task on each again", PATIENCE)
    assert [r["id"] for r in cluster.wait_runs("spread", "RUNNING")] == [run["id"]]
    deleted = httpx.delete(f"{one.url}/connectors/spread", timeout=120)
    assert deleted.is_success, deleted.text
    assert [r["id"] for r in cluster.wait_runs("spread", "ABORTED")] == [run["id"]]


def test_headwater_away_costs_no_record_and_what_happened_is_reported_later(cluster: Cluster, tmp_path: Path) -> None:
    server = Server(tmp_path / "data").start()
    url, port = server.url, server.port
    try:
        cluster.produce("patient", b"1")
        options = smt(cluster, **{"transport.url": url, "namespace": "away"})
        cluster.put("patient", sink(cluster, "patient", **options))

        def runs() -> list[Json]:
            answer = httpx.get(f"{url}/api/v1/namespaces/away/jobs/patient/runs", timeout=60)
            return list(answer.json()["runs"]) if answer.status_code == 200 else []

        wait_for(lambda: [r["state"] for r in runs()] == ["RUNNING"], "the first run", PATIENCE)
        server.stop()
        cluster.produce("patient", *[b"%d" % n for n in range(2, 1001)])
        file = cluster.files / "patient.out"
        wait_for(lambda: len(file.read_text().splitlines()) == 1000, "all records", PATIENCE)
        cluster.call("PUT", "/connectors/patient/stop")
        wait_for(lambda: cluster.status("patient")["tasks"] == [], "it to stop", PATIENCE)
        cluster.call("PUT", "/connectors/patient/resume")
        cluster.wait_task("patient", "RUNNING")
        back = time.time()
        server.start(port)
        wait_for(lambda: [r["state"] for r in runs()] == ["RUNNING", "ABORTED"], "what happened", PATIENCE)
        second, first = runs()
        assert second["id"] == run_id("away", "patient", first["id"])
        assert moment(first["endedAt"]) < back
        assert moment(second["startedAt"]) < back
        (worker,) = [facet for name, facet in first["facets"].items() if name.startswith("headwater_connect_smt_")]
        assert worker["records"] == {"patient": 1000}
        cluster.delete("patient")
        wait_for(lambda: [r["state"] for r in runs()] == ["ABORTED", "ABORTED"], "the end", PATIENCE)
    finally:
        server.kill()


def moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


# Beside a watcher


def both_reported(cluster: Cluster, name: str) -> bool:
    """Whether both reported the latest run."""
    facets: Json = next((run["facets"] for run in cluster.runs(name)), {})
    return "headwater_connect" in facets and any(facet.startswith("headwater_connect_smt_") for facet in facets)


def test_watcher_and_transform_make_one_run_of_each_incarnation(cluster: Cluster, watcher: Watching) -> None:
    cluster.put("both", source(cluster, "both", **smt(cluster)))
    wait_for(lambda: both_reported(cluster, "both"), "both", PATIENCE)
    cluster.wait_runs("both", "RUNNING")
    cluster.call("POST", "/connectors/both/restart?includeTasks=true&onlyFailed=false")
    cluster.wait_runs("both", "RUNNING", "ABORTED")
    wait_for(lambda: both_reported(cluster, "both"), "both", PATIENCE)
    more = source(cluster, "both", text="a line\nanother\n", **smt(cluster)) | {"topic": "both-2"}
    cluster.put("both", more)
    cluster.wait_runs("both", "RUNNING", "ABORTED", "ABORTED")
    wait_for(lambda: both_reported(cluster, "both"), "both", PATIENCE)
    cluster.call("PUT", "/connectors/both/stop")
    cluster.wait_runs("both", "ABORTED", "ABORTED", "ABORTED")
    wait_for(lambda: cluster.runs("both")[0]["facets"]["headwater_connect"]["state"] == "STOPPED", "its word", PATIENCE)
    cluster.call("PUT", "/connectors/both/resume")
    cluster.wait_runs("both", "RUNNING", "ABORTED", "ABORTED", "ABORTED")
    wait_for(lambda: both_reported(cluster, "both"), "both", PATIENCE)
    cluster.delete("both")
    cluster.wait_runs("both", *["ABORTED"] * 4)
    settle(cluster, watcher)
    cluster.wait_runs("both", *["ABORTED"] * 4)


def test_a_failure_that_both_see_is_one_failed_run_with_the_trace(cluster: Cluster, watcher: Watching) -> None:
    options = smt(cluster) | {"transforms": "lineage,c"}
    cast = {"transforms.c.type": f"{K}Cast$Value", "transforms.c.spec": "int32"}
    cluster.put("both-bad", source(cluster, "both-bad", text="", **options, **cast))
    wait_for(lambda: both_reported(cluster, "both-bad"), "both", PATIENCE)
    with (cluster.files / "both-bad.txt").open("a") as file:
        file.write("no number\n")
    cluster.wait_runs("both-bad", "FAILED")

    def trace() -> str:
        run, *_ = cluster.runs("both-bad")
        return str(run["facets"]["errorMessage"].get("stackTrace") or "")

    wait_for(lambda: "transforms.Cast" in trace(), "the trace", PATIENCE)
    settle(cluster, watcher)
    cluster.wait_runs("both-bad", "FAILED")


def settle(cluster: Cluster, watcher: Watching) -> None:
    """Until the watcher, which has more patience with the transform than this takes, has looked at all again."""
    name = f"settle-{time.time_ns()}"
    cluster.put(name, source(cluster, name))
    cluster.wait_runs(name, "RUNNING")
    cluster.delete(name)
    cluster.wait_runs(name, "ABORTED")
    end = time.monotonic() + 6  # longer than the watcher waits for a run of the transform before it begins one
    wait_for(lambda: time.monotonic() > end, "the watcher's patience", PATIENCE)
