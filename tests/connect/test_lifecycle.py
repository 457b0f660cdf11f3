"""The life of connectors in a real worker, as the watcher reports it."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from headwater.watch.connect.runs import run_id
from tests.connect.cluster import NAMESPACE, PATIENCE, Cluster, Json, Watching
from tests.connect.worker import Worker
from tests.support.server import wait_for

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
K = "org.apache.kafka.connect.transforms."


def source(cluster: Cluster, name: str, text: str = "a line\n", **more: str) -> Json:
    file = cluster.files / f"{name}.txt"
    file.write_text(text)
    return {"connector.class": SOURCE, "file": str(file), "topic": name, **more}


def test_start_pause_resume_stop_resume(cluster: Cluster, watcher: Watching) -> None:
    cluster.put("life", source(cluster, "life"))
    (first,) = cluster.wait_runs("life", "RUNNING")
    assert first["id"] == run_id(NAMESPACE, "life", None)
    facet = cluster.wait_facet("life", "RUNNING")
    assert (facet["class"], facet["type"]) == (SOURCE, "source")
    assert cluster.nodes("job:kafka-connect:life") == {
        "job:kafka-connect:life",
        f"dataset:file:{cluster.files}/life.txt",
        f"dataset:kafka://{cluster.kafka}:life",
    }
    cluster.call("PUT", "/connectors/life/pause")
    cluster.wait_facet("life", "PAUSED", "PAUSED")
    cluster.wait_runs("life", "RUNNING")
    cluster.call("PUT", "/connectors/life/resume")
    cluster.wait_facet("life", "RUNNING")
    cluster.call("PUT", "/connectors/life/stop")
    (ended,) = cluster.wait_runs("life", "ABORTED")
    assert ended["facets"]["headwater_connect"]["state"] == "STOPPED"
    cluster.call("PUT", "/connectors/life/resume")
    again, _ = cluster.wait_runs("life", "RUNNING", "ABORTED")
    assert again["id"] == run_id(NAMESPACE, "life", first["id"])


def test_a_restart_of_connector_and_tasks_is_no_end(cluster: Cluster, watcher: Watching) -> None:
    cluster.put("restarted", source(cluster, "restarted"))
    cluster.wait_runs("restarted", "RUNNING")
    cluster.call("POST", "/connectors/restarted/restart?includeTasks=true&onlyFailed=false")
    cluster.wait_task("restarted", "RUNNING")
    before = len(watcher.events("restarted"))
    wait_for(lambda: len(watcher.events("restarted")) > before, "a heartbeat", PATIENCE)
    cluster.wait_runs("restarted", "RUNNING")


def test_another_configuration_is_another_run_with_other_datasets(cluster: Cluster, watcher: Watching) -> None:
    cluster.put("changed", source(cluster, "changed"))
    cluster.wait_runs("changed", "RUNNING")
    cluster.put("changed", source(cluster, "changed") | {"topic": "changed-2"})
    _, before = cluster.wait_runs("changed", "RUNNING", "ABORTED")
    assert before["facets"]["headwater_end"]["reason"] == "the configuration was changed"
    assert f"dataset:kafka://{cluster.kafka}:changed-2" in cluster.nodes("job:kafka-connect:changed")


def test_an_exception_in_a_transform_fails_the_run_and_deleting_it_ends_nothing_more(
    cluster: Cluster, watcher: Watching
) -> None:
    cast = {"transforms": "c", "transforms.c.type": f"{K}Cast$Value", "transforms.c.spec": "int32"}
    cluster.put("broken", source(cluster, "broken", **cast))
    (run,) = cluster.wait_runs("broken", "FAILED")
    assert "ConnectException" in run["facets"]["errorMessage"]["message"]
    assert "org.apache.kafka.connect.transforms.Cast" in run["facets"]["errorMessage"]["stackTrace"]
    cluster.delete("broken")
    cluster.put("broken-after", source(cluster, "broken-after"))
    cluster.wait_runs("broken-after", "RUNNING")
    cluster.wait_runs("broken", "FAILED")


def test_a_task_that_cannot_start_is_reported_once_and_repaired_is_a_new_run(
    cluster: Cluster, watcher: Watching
) -> None:
    folder = cluster.files / "not-yet"
    cluster.produce("unstartable", b"x")
    config = {"connector.class": SINK, "file": str(folder / "out.txt"), "topics": "unstartable"}
    config |= {"value.converter": "org.apache.kafka.connect.storage.StringConverter"}
    cluster.put("unstartable", config)
    (run,) = cluster.wait_runs("unstartable", "FAILED")
    assert "out.txt" in run["facets"]["errorMessage"]["stackTrace"]
    folder.mkdir()
    cluster.call("POST", "/connectors/unstartable/restart?includeTasks=true&onlyFailed=true")
    cluster.wait_runs("unstartable", "RUNNING", "FAILED")
    assert [one["event"] for one in watcher.events("unstartable")].count("FAIL") == 1


def test_deleted_and_made_again(cluster: Cluster, watcher: Watching) -> None:
    cluster.put("phoenix", source(cluster, "phoenix"))
    cluster.wait_runs("phoenix", "RUNNING")
    cluster.delete("phoenix")
    (run,) = cluster.wait_runs("phoenix", "ABORTED")
    assert run["facets"]["headwater_end"]["reason"] == "the connector was deleted"
    cluster.put("phoenix", source(cluster, "phoenix"))
    now, before = cluster.wait_runs("phoenix", "RUNNING", "ABORTED")
    assert now["id"] == run_id(NAMESPACE, "phoenix", before["id"])


def test_topics_by_an_expression_with_throughput_and_lag(cluster: Cluster, watcher: Watching) -> None:
    cluster.produce("many.a", b"1", b"2")
    cluster.produce("many.b", b"3")
    config = {"connector.class": SINK, "file": str(cluster.files / "many.out"), "topics.regex": r"many\..*"}
    config |= {"value.converter": "org.apache.kafka.connect.storage.StringConverter"}
    cluster.put("many", config | {"consumer.override.metadata.max.age.ms": "1000"})
    expected = {f"dataset:kafka://{cluster.kafka}:many.{x}" for x in "ab"}
    wait_for(lambda: expected <= cluster.nodes("job:kafka-connect:many"), "the topics", PATIENCE)

    def figures() -> Json | None:
        cluster.produce("many.a", b"more")
        time.sleep(0.5)
        facet: Json = next((r["facets"].get("headwater_connect", {}) for r in cluster.runs("many")), {})
        topic: Json = facet.get("topics", {}).get("many.a", {})
        return topic if topic.get("messagesPerSecond") and "lag" in topic else None

    topic = wait_for(figures, "throughput and lag", PATIENCE)
    assert topic["endOffset"] >= 2
    cluster.produce("many.c", b"4")
    wait_for(
        lambda: f"dataset:kafka://{cluster.kafka}:many.c" in cluster.nodes("job:kafka-connect:many"), "it", PATIENCE
    )


def test_schemas_of_the_registry_give_columns(cluster: Cluster, watcher: Watching) -> None:
    schema = {"type": "record", "name": "O", "fields": [{"name": "id", "type": "string"}]}
    cluster.produce("columned", b"x")
    answer = cluster.http.post(
        f"{cluster.registry}/subjects/columned-value/versions", json={"schema": json.dumps(schema)}
    )
    assert answer.status_code == 200, answer.text
    config = {"connector.class": SINK, "file": str(cluster.files / "columned.out"), "topics": "columned"}
    cluster.put("columned", config | {"value.converter": "org.apache.kafka.connect.storage.StringConverter"})
    file = ("file", str(cluster.files / "columned.out"))
    wait_for(lambda: cluster.column(*file, "line") == {("columned", "id", "IDENTITY", False)}, "columns", PATIENCE)


def test_mirror_maker(cluster: Cluster, watcher: Watching) -> None:
    cluster.produce("mirrored", b"x")
    bytes_ = "org.apache.kafka.connect.converters.ByteArrayConverter"
    config = {
        "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
        "source.cluster.alias": "here",
        "target.cluster.alias": "there",
        "source.cluster.bootstrap.servers": cluster.kafka,
        "target.cluster.bootstrap.servers": cluster.kafka,
        "topics": "mirror.*",
        "replication.factor": "1",
        "offset-syncs.topic.replication.factor": "1",
        "refresh.topics.interval.seconds": "2",
        "key.converter": bytes_,
        "value.converter": bytes_,
    }
    cluster.put("mirror", config)
    topic, _, _ = cluster.first_record("^here[.]mirrored$")
    expected = {f"dataset:kafka://{cluster.kafka}:{name}" for name in ("mirrored", topic)}
    wait_for(lambda: expected <= cluster.nodes("job:kafka-connect:mirror"), "both topics", PATIENCE)
    cluster.delete("mirror")


def test_a_watcher_that_is_killed_goes_on_where_it_was(cluster: Cluster, watcher: Watching) -> None:
    cluster.put("goes-on", source(cluster, "goes-on"))
    cluster.put("ends", source(cluster, "ends"))
    (before,) = cluster.wait_runs("goes-on", "RUNNING")
    cluster.wait_runs("ends", "RUNNING")
    watcher.stop(signal.SIGKILL)
    cluster.delete("ends")
    events = len(watcher.events("goes-on"))
    watcher.start()
    cluster.wait_runs("ends", "ABORTED")
    wait_for(lambda: len(watcher.events("goes-on")) > events, "its next event", PATIENCE)
    assert [run["id"] for run in cluster.wait_runs("goes-on", "RUNNING")] == [before["id"]]


# Workers of their own


@pytest.fixture
def workers(cluster: Cluster, tmp_path: Path) -> Iterator[tuple[Worker, Worker]]:
    group = f"own-{time.time_ns()}"
    made = Worker(cluster, tmp_path, group), Worker(cluster, tmp_path, group)
    yield made
    for worker in made:
        worker.end(signal.SIGKILL)


def put(worker: Worker, name: str, config: Json) -> None:
    def done() -> bool:
        return httpx.put(f"{worker.url}/connectors/{name}/config", json=config, timeout=120).status_code in (200, 201)

    wait_for(done, f"{name} to be made", PATIENCE)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
def test_a_worker_that_ends_takes_its_runs_with_it(
    cluster: Cluster, workers: tuple[Worker, Worker], tmp_path: Path, number: signal.Signals
) -> None:
    worker, name = workers[0].start(), f"alone-{number.name.lower()}"
    put(worker, name, source(cluster, name))
    watching = Watching(cluster, tmp_path, worker.url)
    try:
        cluster.wait_runs(name, "RUNNING")
        worker.end(number)
        ended = time.monotonic()
        (run,) = cluster.wait_runs(name, "ABORTED")
        print(f"{number.name}: ABORT {time.monotonic() - ended:.1f} s after the end")  # noqa: T201
        assert run["facets"]["headwater_end"]["reason"] == f"the worker {worker.name} is gone"
        worker.start()
        cluster.wait_runs(name, "RUNNING", "ABORTED")
    finally:
        watching.stop()


def test_one_worker_of_two_is_killed_and_its_connectors_move(
    cluster: Cluster, workers: tuple[Worker, Worker], tmp_path: Path
) -> None:
    one, two = workers[0].start(), workers[1].start()
    names = [f"pair-{n}" for n in range(4)]
    for name in names:
        put(one, name, source(cluster, name))

    def places() -> dict[str, str]:
        answer = httpx.get(f"{one.url}/connectors?expand=status", timeout=60)
        entries = answer.json() if answer.status_code == 200 else {}
        states = {n: t for n, e in entries.items() for t in e["status"]["tasks"] if t["state"] == "RUNNING"}
        return {name: task["worker_id"] for name, task in states.items()}

    wait_for(lambda: len(p := places()) == 4 and set(p.values()) == {one.name, two.name}, "tasks on both", PATIENCE)
    watching = Watching(cluster, tmp_path, one.url)
    try:
        for name in names:
            cluster.wait_runs(name, "RUNNING")
        before = places()
        two.end(signal.SIGKILL)
        for name, worker in before.items():
            if worker == two.name:
                _, ended = cluster.wait_runs(name, "RUNNING", "ABORTED")  # after the rebalance it runs on the other one
                assert ended["facets"]["headwater_end"]["reason"] == f"the worker {two.name} is gone"
        for name, worker in before.items():
            if worker == one.name:
                cluster.wait_runs(name, "RUNNING")
    finally:
        watching.stop()
