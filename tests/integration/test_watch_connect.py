"""The watcher between a Connect that can be made to fail and a real Headwater."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.emit.events import now as moment
from headwater.watch.connect.runs import run_id
from tests.support.connect import FakeConnect
from tests.support.server import HEADWATER, MakeServer, Server, free_port, headwater, wait_for

S3 = {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "topics": "orders", "s3.bucket.name": "archive"}
ORDER = json.dumps({"type": "record", "name": "Order", "fields": [{"name": "id", "type": "string"}]})
NAMESPACE = "kafka-connect"


@pytest.fixture
def fake() -> Iterator[FakeConnect]:
    made = FakeConnect()
    yield made
    made.kill()


class Watching:
    """`headwater watch connect` as a process."""

    def __init__(self, fake: FakeConnect, url: str, folder: Path, *more: str) -> None:
        self.log = folder / f"watch-{time.time_ns()}.log"
        words = ["watch", "connect", "--connect", fake.url, "--url", url, "--kafka", "broker:9092", "--json"]
        words += ["--state", str(folder / "state.json"), "--spool", str(folder / "spool"), "--interval", "0.2", *more]
        with self.log.open("wb") as output:
            self.process = subprocess.Popen([*HEADWATER, *words], stdout=output, stderr=subprocess.STDOUT)

    def output(self) -> str:
        return self.log.read_text()

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.output().splitlines() if line.startswith("{")]

    def stop(self, number: int = signal.SIGTERM) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(30)


Watch = Callable[..., Watching]


@pytest.fixture
def watch(fake: FakeConnect, server: Server, tmp_path: Path) -> Iterator[Watch]:
    made: list[Watching] = []

    def start(*more: str, url: str | None = None, folder: Path = tmp_path, at: FakeConnect = fake) -> Watching:
        made.append(Watching(at, url or server.url, folder, *more))
        return made[-1]

    yield start
    for one in made:
        one.stop(signal.SIGKILL)


def runs(server: Server, name: str = "sink", namespace: str = NAMESPACE) -> list[dict[str, Any]]:
    """Latest first."""
    answer = server.get(f"/api/v1/namespaces/{namespace}/jobs/{name}/runs")
    latest_first: list[dict[str, Any]] = answer.json()["runs"] if answer.status_code == 200 else []
    return latest_first


def wait_state(server: Server, *states: str, name: str = "sink") -> list[dict[str, Any]]:
    """Until the runs of a connector are in these states, latest first."""
    try:
        in_states = wait_for(
            lambda: (r := runs(server, name)) and [event["state"] for event in r] == [*states] and r, "runs"
        )
    except AssertionError:
        raise AssertionError([run["state"] for run in runs(server, name)]) from None
    return list(in_states)


def facet(run: dict[str, Any]) -> dict[str, Any]:
    return dict(run["facets"]["headwater_connect"])


def test_a_connector_is_reported_with_its_datasets(fake: FakeConnect, server: Server, watch: Watch) -> None:
    fake.add("sink", S3, "RUNNING", "RUNNING")
    fake.subjects["orders-value"] = [{"schema": ORDER}]
    watch("--registry", fake.url)
    (run,) = wait_state(server, "RUNNING")
    assert run["id"] == run_id(NAMESPACE, "sink", None)
    assert facet(run)["state"] == "RUNNING"
    assert [task["state"] for task in facet(run)["tasks"]] == ["RUNNING", "RUNNING"]
    assert facet(run)["cluster"] == "cluster-1"
    node = "dataset:s3://archive:topics/orders"
    graph = server.get("/api/v1/lineage", nodeId=node).json()["graph"]
    assert {n["id"] for n in graph} == {node, "job:kafka-connect:sink", "dataset:kafka://broker:9092:orders"}
    columns = server.get("/api/v1/column-lineage", nodeId="datasetField:s3://archive:topics/orders:id")
    assert "datasetField:kafka://broker:9092:orders:id" in {n["id"] for n in columns.json()["graph"]}


def test_only_changes_become_events(fake: FakeConnect, server: Server, watch: Watch) -> None:
    fake.add("sink", S3)
    watching = watch()
    wait_state(server, "RUNNING")
    wait_for(lambda: fake.requests.count("/connectors") > 10, "ten polls")
    assert [event["event"] for event in watching.events()] == ["START"]
    fake.add("sink", S3, "PAUSED", state="PAUSED")
    wait_for(lambda: facet(runs(server)[0])["state"] == "PAUSED", "the pause")
    assert runs(server)[0]["state"] == "RUNNING"
    fake.add("sink", S3)
    wait_for(lambda: facet(runs(server)[0])["state"] == "RUNNING", "the end of the pause")
    assert [event["event"] for event in watching.events()] == ["START", "RUNNING", "RUNNING"]


def test_a_heartbeat_comes_on_time(fake: FakeConnect, server: Server, watch: Watch) -> None:
    fake.add("sink", S3)
    watching = watch("--heartbeat", "0.5")
    wait_for(
        lambda: [event["event"] for event in watching.events()][:3] == ["START", "RUNNING", "RUNNING"], "heartbeats"
    )
    wait_state(server, "RUNNING")


def test_a_new_schema_is_reported(fake: FakeConnect, server: Server, watch: Watch) -> None:
    fake.add(
        "source",
        {"connector.class": "io.confluent.kafka.connect.datagen.DatagenConnector", "kafka.topic": "orders"},
        kind="source",
    )
    watch("--registry", fake.url)
    wait_state(server, "RUNNING", name="source")
    fake.subjects["orders-value"] = [{"schema": ORDER}]

    def fields() -> list[str]:
        dataset = server.get("/api/v1/namespaces/kafka%3A%2F%2Fbroker%3A9092/datasets/orders").json()
        return [field["name"] for field in dataset.get("fields", [])]

    wait_for(lambda: fields() == ["id"], "the schema", 60)


def test_a_failed_task_among_running_ones_is_in_the_facet(fake: FakeConnect, server: Server, watch: Watch) -> None:
    fake.add("sink", S3, "RUNNING", "FAILED")
    watch()
    (run,) = wait_state(server, "RUNNING")
    assert facet(run)["problem"] == "1 of 2 tasks failed"
    assert "boom" in facet(run)["tasks"][1]["trace"]


def test_when_all_tasks_failed_the_run_failed(fake: FakeConnect, server: Server, watch: Watch) -> None:
    fake.add("sink", S3)
    watching = watch()
    wait_state(server, "RUNNING")
    fake.add("sink", S3, "FAILED")
    (run,) = wait_state(server, "FAILED")
    assert run["facets"]["errorMessage"]["message"] == "task 0 failed: org.X: boom"
    wait_for(lambda: fake.requests.count("/connectors") > 20, "more polls")
    assert [event["event"] for event in watching.events()] == ["START", "FAIL"]
    fake.add("sink", S3)  # somebody restarted it
    now, before = wait_state(server, "RUNNING", "FAILED")
    assert now["id"] == run_id(NAMESPACE, "sink", before["id"])


def test_a_deleted_connector_is_aborted_and_a_new_one_is_a_new_run(
    fake: FakeConnect, server: Server, watch: Watch
) -> None:
    fake.add("sink", S3)
    watch()
    wait_state(server, "RUNNING")
    del fake.connectors["sink"]
    (run,) = wait_state(server, "ABORTED")
    assert run["facets"]["headwater_end"]["reason"] == "the connector was deleted"
    fake.add("sink", S3)
    wait_state(server, "RUNNING", "ABORTED")


def test_another_configuration_is_another_run(fake: FakeConnect, server: Server, watch: Watch) -> None:
    fake.add("sink", S3)
    watch()
    wait_state(server, "RUNNING")
    fake.add("sink", S3 | {"s3.bucket.name": "other"})
    _, before = wait_state(server, "RUNNING", "ABORTED")
    assert before["facets"]["headwater_end"]["reason"] == "the configuration was changed"


def test_a_stopped_connector_ends_its_run(fake: FakeConnect, server: Server, watch: Watch) -> None:
    fake.add("sink", S3)
    watch()
    wait_state(server, "RUNNING")
    fake.add("sink", S3, state="STOPPED")
    fake.connectors["sink"]["status"]["tasks"] = []
    (run,) = wait_state(server, "ABORTED")
    assert facet(run)["state"] == "STOPPED"


def test_a_connector_that_was_stopped_before_is_there_without_a_run(
    fake: FakeConnect, server: Server, watch: Watch
) -> None:
    fake.add("sink", S3, state="STOPPED")
    fake.connectors["sink"]["status"]["tasks"] = []
    watch()
    job = wait_for(
        lambda: (a := server.get("/api/v1/namespaces/kafka-connect/jobs/sink")).status_code == 200 and a.json(), "it"
    )
    assert job["facets"]["headwater_connect"]["state"] == "STOPPED"
    assert [one["name"] for one in job["outputs"]] == ["topics/orders"]
    assert runs(server) == []


@pytest.mark.parametrize("fault", [409, 500, 503, "cut", "hang"])
def test_a_connect_that_does_not_answer_ends_nothing(
    fake: FakeConnect, server: Server, watch: Watch, fault: int | str
) -> None:
    fake.add("sink", S3)
    watching = watch()
    wait_state(server, "RUNNING")
    requests = len(fake.requests)
    fake.fault = fault
    wait_for(lambda: len(fake.requests) > requests + (2 if fault == "hang" else 20), "polls that fail", 60)
    fake.fault = None
    wait_for(lambda: fake.requests[-3:].count("/connectors") and "answers again" in watching.output(), "answers", 60)
    assert [event["event"] for event in watching.events()] == ["START"]
    assert watching.output().count("the last known state stays") == 1
    wait_state(server, "RUNNING")


def test_a_dead_worker_ends_its_runs(fake: FakeConnect, server: Server, watch: Watch) -> None:
    fake.add("sink", S3)
    watch()
    wait_state(server, "RUNNING")
    fake.kill()
    (run,) = wait_state(server, "ABORTED")
    assert run["facets"]["headwater_end"]["reason"] == f"the worker {fake.worker} is gone"
    assert [task["state"] for task in facet(run)["tasks"]] == ["LOST"]
    fake.start(fake.port)
    wait_state(server, "RUNNING", "ABORTED")


def test_a_dead_worker_of_two(fake: FakeConnect, server: Server, watch: Watch) -> None:
    """Connect goes on calling its tasks RUNNING; only those that are all on it are lost."""
    other = FakeConnect()
    fake.add("all", S3, f"RUNNING@{other.worker}")
    fake.add("some", S3, f"RUNNING@{other.worker}", "RUNNING")
    watch()
    wait_state(server, "RUNNING", name="all")
    wait_state(server, "RUNNING", name="some")
    other.kill()
    wait_state(server, "ABORTED", name="all")
    wait_for(lambda: facet(runs(server, "some")[0])["tasks"][0]["state"] == "LOST", "the lost task")
    (run,) = wait_state(server, "RUNNING", name="some")
    assert facet(run)["tasks"][1]["state"] == "RUNNING"


def test_a_worker_that_could_never_be_reached_is_not_called_dead(
    fake: FakeConnect, server: Server, watch: Watch
) -> None:
    fake.add("sink", S3, f"RUNNING@127.0.0.1:{free_port()}")
    watching = watch()
    wait_state(server, "RUNNING")
    wait_for(lambda: fake.requests.count("/connectors") > 20, "many polls")
    assert [event["event"] for event in watching.events()] == ["START"]


def test_a_watcher_that_is_killed_and_comes_back_goes_on(fake: FakeConnect, server: Server, watch: Watch) -> None:
    fake.add("sink", S3)
    fake.add("gone", S3)
    first = watch()
    (before,) = wait_state(server, "RUNNING")
    wait_state(server, "RUNNING", name="gone")
    first.stop(signal.SIGKILL)
    del fake.connectors["gone"]
    fake.add("new", S3)
    second = watch()
    wait_state(server, "RUNNING", name="new")
    wait_state(server, "ABORTED", name="gone")
    (now,) = wait_state(server, "RUNNING")
    assert now["id"] == before["id"]
    assert "START" not in [event["event"] for event in second.events() if event["connector"] == "sink"]


def test_a_watcher_without_its_file_goes_on_with_what_headwater_knows(
    fake: FakeConnect, server: Server, watch: Watch, tmp_path: Path
) -> None:
    fake.add("sink", S3)
    first = watch()
    (before,) = wait_state(server, "RUNNING")
    first.stop()
    (tmp_path / "elsewhere").mkdir()
    second = watch(folder=tmp_path / "elsewhere")
    wait_for(second.events, "the first event")
    (now,) = wait_state(server, "RUNNING")
    assert now["id"] == before["id"]


def test_workers_that_died_while_nobody_watched(fake: FakeConnect, server: Server, watch: Watch) -> None:
    fake.add("sink", S3)
    first = watch()
    wait_state(server, "RUNNING")
    first.stop()
    fake.kill()
    watch()
    wait_state(server, "ABORTED")


def test_headwater_away_loses_nothing(fake: FakeConnect, make_server: MakeServer, watch: Watch, tmp_path: Path) -> None:
    server, port = make_server(tmp_path / "other"), free_port()
    fake.add("sink", S3)
    watching = watch(url=f"http://127.0.0.1:{port}")
    wait_for(watching.events, "the first event")
    fake.add("sink", S3, "FAILED")
    wait_for(lambda: [event["event"] for event in watching.events()] == ["START", "FAIL"], "the failure")
    fake.add("sink", S3)
    wait_for(lambda: len(watching.events()) == 3, "the restart")
    server.start(port)
    now, before = wait_state(server, "RUNNING", "FAILED")
    assert (before["id"], now["id"]) == ((first := run_id(NAMESPACE, "sink", None)), run_id(NAMESPACE, "sink", first))


def test_two_clusters_need_two_namespaces(fake: FakeConnect, server: Server, watch: Watch, tmp_path: Path) -> None:
    other = FakeConnect("cluster-2")
    fake.add("sink", S3)
    other.add("sink", S3 | {"s3.bucket.name": "other"})
    watch()
    wait_state(server, "RUNNING")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    second = watch(folder=tmp_path / "a", at=other)
    wait_for(lambda: "--namespace" in second.output(), "the warning")
    assert second.events() == []
    watch("--namespace", "second", folder=tmp_path / "b", at=other)
    wait_for(lambda: [run["state"] for run in runs(server, namespace="second")] == ["RUNNING"], "the other one")
    wait_state(server, "RUNNING")
    other.kill()


def test_another_cluster_at_the_same_address_is_not_taken_for_the_one_before(
    fake: FakeConnect, server: Server, watch: Watch
) -> None:
    fake.add("sink", S3)
    first = watch()
    wait_state(server, "RUNNING")
    first.stop()
    fake.cluster = "cluster-2"
    del fake.connectors["sink"]
    fake.add("other", S3)
    second = watch()
    wait_state(server, "RUNNING", name="other")
    assert "another cluster" in second.output()
    assert [event["connector"] for event in second.events()] == ["other"]


SMT = {"transforms": "l", "transforms.l.type": "io.headwater.connect.OpenLineageLifecycleSmt"}


def test_the_run_of_an_smt_is_taken_over(fake: FakeConnect, server: Server, watch: Watch) -> None:
    """The SMT reports a run, then another one after a restart; the watcher follows."""
    mine = [run_id("smt", "sink", str(n)) for n in range(2)]
    send_run(server, "START", mine[0])
    fake.add("sink", S3 | SMT)
    watching = watch("--heartbeat", "0.5")
    wait_for(lambda: "headwater_connect" in runs(server)[0]["facets"], "the watcher's facet")
    assert [run["id"] for run in wait_state(server, "RUNNING")] == [mine[0]]
    send_run(server, "ABORT", mine[0])
    send_run(server, "START", mine[1])
    wait_for(lambda: "headwater_connect" in runs(server)[0]["facets"], "the watcher's facet")
    assert [run["id"] for run in wait_state(server, "RUNNING", "ABORTED")] == [mine[1], mine[0]]
    assert "START" not in [event["event"] for event in watching.events()]


def test_a_failure_that_the_smt_saw_first_is_the_end_of_the_same_run(
    fake: FakeConnect, server: Server, watch: Watch
) -> None:
    mine = run_id("smt", "sink", None)
    send_run(server, "START", mine)
    fake.add("sink", S3 | SMT)
    watching = watch("--heartbeat", "0.2")
    wait_for(lambda: "headwater_connect" in runs(server)[0]["facets"], "the watcher's facet")
    send_run(server, "FAIL", mine)
    looks = fake.requests.count("/connectors")
    wait_for(lambda: fake.requests.count("/connectors") > looks + 5, "looks at a connector that seems to run")
    fake.add("sink", S3 | SMT, "FAILED")
    wait_for(lambda: "errorMessage" in runs(server)[0]["facets"], "the trace")
    (run,) = wait_state(server, "FAILED")
    assert (run["id"], run["facets"]["errorMessage"]["stackTrace"]) == (mine, "org.X: boom\n\tat y")
    assert "START" not in [event["event"] for event in watching.events()]


def test_a_change_that_the_smt_saw_first_is_one_new_run(fake: FakeConnect, server: Server, watch: Watch) -> None:
    mine = [run_id("smt", "sink", str(n)) for n in range(2)]
    send_run(server, "START", mine[0])
    fake.add("sink", S3 | SMT)
    watching = watch()
    wait_for(lambda: "headwater_connect" in runs(server)[0]["facets"], "the watcher's facet")
    send_run(server, "ABORT", mine[0])
    send_run(server, "START", mine[1])
    fake.add("sink", S3 | SMT | {"flush.size": "7"}, "RUNNING", "RUNNING")
    wait_for(lambda: "headwater_connect" in runs(server)[0]["facets"], "the watcher's facet")
    assert [run["id"] for run in wait_state(server, "RUNNING", "ABORTED")] == [mine[1], mine[0]]
    assert {event["event"] for event in watching.events()} == {"RUNNING"}


def test_an_smt_that_says_nothing_is_not_waited_for_for_ever(fake: FakeConnect, server: Server, watch: Watch) -> None:
    fake.add("sink", S3 | SMT)
    watch()
    (run,) = wait_state(server, "RUNNING")
    assert run["id"] == run_id(NAMESPACE, "sink", None)


def send_run(server: Server, kind: str, run: str) -> None:
    event = {"eventType": kind, "eventTime": moment(), "producer": "http://x", "schemaURL": "http://x"}
    event_ = {**event, "run": {"runId": run}, "job": {"namespace": NAMESPACE, "name": "sink"}}
    assert server.post(event_).status_code == 201


# The command


def once(fake: FakeConnect, *more: str) -> "subprocess.CompletedProcess[str]":
    return headwater("watch", "connect", "--connect", fake.url, "--once", "--kafka", "broker:9092", *more)


def test_once_shows_a_table(fake: FakeConnect) -> None:
    fake.add("sink", S3)
    fake.subjects["orders-value"] = [{"schema": ORDER}]
    done = once(fake, "--dry-run", "--registry", fake.url)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["connector", "state", "tasks", "reads", "writes", "columns", "flow", "notes"]
    assert "sink" in lines[1]
    assert "1/1" in lines[1]
    assert "s3://archive topics/orders" in lines[1]


def test_once_as_json(fake: FakeConnect) -> None:
    fake.add("sink", S3 | {"s3.bucket.name": ""})
    done = once(fake, "--dry-run", "--json")
    (one,) = json.loads(done.stdout)
    assert one["state"] == "RUNNING"
    assert one["outputs"] == []
    assert one["notes"] == ["the option s3.bucket.name is not set"]


def test_once_reports(fake: FakeConnect, server: Server, tmp_path: Path) -> None:
    fake.add("sink", S3)
    more = ("--url", server.url, "--state", str(tmp_path / "s.json"), "--spool", str(tmp_path / "spool"))
    assert once(fake, *more).returncode == 0
    wait_state(server, "RUNNING")
    del fake.connectors["sink"]
    assert once(fake, *more).returncode == 0
    wait_state(server, "ABORTED")


def test_nobody_there(fake: FakeConnect) -> None:
    fake.kill()
    done = once(fake, "--dry-run")
    assert done.returncode == 5
    assert "--connect" in done.stderr


def test_something_else_there(server: Server) -> None:
    done = headwater("watch", "connect", "--connect", server.url, "--once", "--dry-run", "--kafka", "b:9092")
    assert done.returncode == 5
    assert "answered 404" in done.stderr or "right address" in done.stderr


def test_a_mapping_that_is_wrong(fake: FakeConnect, tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text("[[connector]]\nclasses = 3")
    done = once(fake, "--dry-run", "--mapping", str(tmp_path / "m.toml"))
    assert done.returncode == 1
    assert "m.toml is invalid" in done.stderr


def test_a_state_file_that_is_broken(fake: FakeConnect, server: Server, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("{")
    done = once(fake, "--url", server.url, "--state", str(tmp_path / "s.json"))
    assert done.returncode == 1
    assert "Remove it to start afresh" in done.stderr


def test_sigterm_ends_it_at_once(fake: FakeConnect, watch: Watch) -> None:
    fake.add("sink", S3)
    watching = watch()
    wait_for(watching.events, "the first event")
    os.kill(watching.process.pid, signal.SIGTERM)
    assert watching.process.wait(30) == 0
    assert "Traceback" not in watching.output()
