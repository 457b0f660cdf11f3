"""Connectors are seen and operated through the server, and the log says who did what."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.connect.cluster import NAMESPACE, PATIENCE, Cluster, Json, Watching
from tests.connect.test_lifecycle import SINK, SOURCE, source
from tests.support.server import HEADWATER, Server, wait_for

CLUSTER = f"/api/v1/connect/clusters/{NAMESPACE}"
ME = {"Headwater-User": "ana"}


def done(cluster: Cluster, method: str, path: str, status: int = 200, **more: Any) -> Json:
    answer = wait_for(lambda: _settled(cluster, method, path, **more), f"{method} {path}", PATIENCE)
    assert answer.status_code == status, answer.text
    return dict(answer.json())


def _settled(cluster: Cluster, method: str, path: str, **more: Any) -> Any:
    """Connect answers 409 during a rebalance; then the request is repeated."""
    answer = cluster.http.request(method, cluster.headwater + CLUSTER + path, **{"headers": ME, **more})
    return None if answer.status_code == 409 and "rebalanc" in answer.text else answer


def create(cluster: Cluster, name: str, config: Json, status: int = 201) -> Json:
    cluster._made.add(name)
    return done(cluster, "POST", "/connectors", status, json={"name": name, "config": config})


def details(cluster: Cluster, name: str) -> Json:
    return done(cluster, "GET", f"/connectors/{name}")


def operations(cluster: Cluster, name: str) -> list[tuple[str, str, str]]:
    """What the log has of them, oldest first."""
    events = reversed(cluster.get("/api/v1/events/lineage", limit=1000)["events"])
    facets = [
        e["job"]["facets"].get("headwater_operation") for e in events if e["job"]["name"] == name and "run" not in e
    ]
    return [(one["action"], one["outcome"], one["by"]) for one in facets if one]


def test_the_cluster_and_its_classes_are_shown(cluster: Cluster) -> None:
    answer = cluster.get("/api/v1/connect/clusters")
    assert answer["operable"] is True
    (only,) = answer["clusters"]
    assert (only["name"], only["url"], only["problem"]) == (NAMESPACE, cluster.connect, None)
    assert {"className": SINK, "type": "sink"}.items() <= next(
        p for p in done(cluster, "GET", "/plugins")["plugins"] if p["className"] == SINK
    ).items()


def test_a_connectors_whole_life_through_the_server(cluster: Cluster, watcher: Watching) -> None:
    create(cluster, "operated", source(cluster, "operated"))
    cluster.wait_task("operated", "RUNNING")
    cluster.wait_runs("operated", "RUNNING")
    connector = details(cluster, "operated")
    assert (connector["state"], connector["type"], connector["className"]) == ("RUNNING", "source", SOURCE)
    assert connector["nodeId"] == "job:kafka-connect:operated"
    assert [task["state"] for task in connector["tasks"]] == ["RUNNING"]
    wait_for(lambda: details(cluster, "operated")["topics"] == ["operated"], "its topic", PATIENCE)
    wait_for(lambda: details(cluster, "operated")["offsets"], "its offsets", PATIENCE)
    done(cluster, "PUT", "/connectors/operated/pause")
    cluster.wait_task("operated", "PAUSED")
    done(cluster, "PUT", "/connectors/operated/resume")
    cluster.wait_task("operated", "RUNNING")
    done(cluster, "PUT", "/connectors/operated/restart")
    cluster.wait_task("operated", "RUNNING")
    done(cluster, "PUT", "/connectors/operated/tasks/0/restart")
    done(cluster, "PUT", "/connectors/operated/stop")
    wait_for(lambda: details(cluster, "operated")["state"] == "STOPPED", "its stop", PATIENCE)
    done(cluster, "DELETE", "/connectors/operated")
    wait_for(lambda: not cluster.status("operated"), "its end", PATIENCE)
    by_others = [one for one in operations(cluster, "operated") if one[2] != "ana"]
    assert by_others == []
    finished = [action for action, outcome, _ in operations(cluster, "operated") if outcome == "DONE"]
    assert finished == ["create", "pause", "resume", "restart", "restart", "stop", "delete"]


def test_the_list_has_states_and_what_the_watcher_knows_of_topics(cluster: Cluster, watcher: Watching) -> None:
    cluster.produce("flowing", b"a", b"b")
    config = {"connector.class": SINK, "topics": "flowing", "file": str(cluster.files / "flowing")}
    create(cluster, "flowing", config | {"value.converter": "org.apache.kafka.connect.storage.StringConverter"})

    def listed() -> Json | None:
        connectors: list[Json] = cluster.get("/api/v1/connect/connectors")["connectors"]
        return next((one for one in connectors if one["name"] == "flowing" and one["flow"]), None)

    connector = wait_for(listed, "its flow", PATIENCE)
    assert connector["flow"][0]["topic"] == "flowing"
    assert connector["flowAt"] is not None
    wait_for(lambda: (one := listed()) is not None and one["flow"][0]["lag"] == 0, "no lag", PATIENCE)


def test_a_configuration_is_changed_and_its_secrets_stay_hidden(cluster: Cluster) -> None:
    create(cluster, "secretive", source(cluster, "secretive", **{"connector.password": "pa55"}))
    shown = details(cluster, "secretive")
    assert shown["config"]["connector.password"] == "[hidden]"
    assert shown["hidden"] == ["connector.password"]
    changed = {**shown["config"], "batch.size": "7"}
    done(cluster, "PUT", "/connectors/secretive/config", json={"config": changed})
    real = cluster.http.get(f"{cluster.connect}/connectors/secretive/config").json()
    assert (real["connector.password"], real["batch.size"]) == ("pa55", "7")


def test_a_wrong_configuration_is_refused_field_by_field_and_leaves_nothing_behind(cluster: Cluster) -> None:
    wrong = {"connector.class": SOURCE, "tasks.max": "0", "topic": "x", "batch.size": "many"}
    check = done(cluster, "POST", "/validate", json={"config": wrong})
    problems = {field["name"] for field in check["fields"] if field["errors"]}
    assert {"tasks.max", "batch.size"} <= problems
    refused = create(cluster, "wrong", wrong, 400)
    assert {"config.tasks.max", "config.batch.size"} <= {error["path"] for error in refused["errors"]}
    unknown = create(cluster, "wrong", {"connector.class": "org.example.Nothing"}, 400)
    assert "no connector class 'org.example.Nothing'" in unknown["message"]
    create(cluster, "wrong", {"topic": "x"}, 400)
    assert cluster.status("wrong") == {}
    assert cluster.get(f"/api/v1/namespaces/{NAMESPACE}/jobs/wrong") == {}


def test_what_connect_refuses_is_reported_and_written_down(cluster: Cluster) -> None:
    create(cluster, "twice", source(cluster, "twice"))
    again = create(cluster, "twice", source(cluster, "twice"), 409)
    assert "already exists" in again["message"]
    done(cluster, "PUT", "/connectors/twice/tasks/9/restart", 404)
    assert operations(cluster, "twice") == [
        ("create", "DONE", "ana"),
        ("create", "ASKED", "ana"),
        ("create", "REFUSED", "ana"),
        ("restart", "ASKED", "ana"),
        ("restart", "REFUSED", "ana"),
    ]
    done(cluster, "PUT", "/connectors/nobody/pause", 404)
    assert cluster.get(f"/api/v1/namespaces/{NAMESPACE}/jobs/nobody") == {}


def test_nothing_is_done_for_somebody_who_does_not_say_who_they_are(cluster: Cluster) -> None:
    create(cluster, "guarded", source(cluster, "guarded"))
    refused = done(cluster, "DELETE", "/connectors/guarded", 400, headers={})
    assert "Headwater-User" in refused["message"]
    assert details(cluster, "guarded")["name"] == "guarded"


def test_a_server_that_only_looks_changes_nothing(cluster: Cluster, tmp_path: Path) -> None:
    create(cluster, "seen", source(cluster, "seen"))
    looking = Server(tmp_path / "data", env={"HEADWATER_CONNECT": f"{NAMESPACE}={cluster.connect}"}).start()
    try:
        assert looking.get(f"{CLUSTER}/connectors/seen").json()["name"] == "seen"
        refused = looking.client.request("PUT", f"{CLUSTER}/connectors/seen/pause", headers=ME)
        assert refused.status_code == 403
        assert "--operate" in refused.json()["message"]
        assert looking.get("/api/v1/connect/clusters").json()["operable"] is False
    finally:
        looking.end()


def test_a_cluster_that_does_not_answer_is_reported_as_such(tmp_path: Path) -> None:
    server = Server(tmp_path / "data", env={"HEADWATER_CONNECT": "gone=http://127.0.0.1:9", "HEADWATER_OPERATE": "1"})
    server.start()
    try:
        assert "cannot connect to" in server.get("/api/v1/connect/clusters").json()["clusters"][0]["problem"]
        assert "cannot connect to" in server.get("/api/v1/connect/connectors").json()["problems"]["gone"]
        refused = server.client.request("PUT", "/api/v1/connect/clusters/gone/connectors/x/pause", headers=ME)
        assert refused.status_code == 502
    finally:
        server.end()


def test_the_commands_do_the_same(cluster: Cluster, tmp_path: Path) -> None:
    def command(*words: str, code: int = 0, **more: Any) -> str:
        env = {**os.environ, "HEADWATER_URL": cluster.headwater, "HEADWATER_USER": "ben", "COLUMNS": "200"}
        ran = subprocess.run(
            [*HEADWATER, "connect", *words],
            capture_output=True,
            text=True,
            env=env,
            timeout=PATIENCE,
            check=False,
            **more,
        )
        assert ran.returncode == code, ran.stdout + ran.stderr
        return str(ran.stdout + ran.stderr)

    file = tmp_path / "copy.json"
    config = {"connector.class": SINK, "topics": "said", "file": str(tmp_path / "copy.txt"), "tasks.max": 1}
    file.write_text(json.dumps({"name": "said", "config": {**config, "tasks.max": "none"}}))
    assert "tasks.max" in command("validate", str(file), code=3)
    assert "tasks.max" in command("create", str(file), code=1)
    file.write_text(json.dumps({"name": "said", "config": config}))
    assert "valid" in command("validate", str(file))
    assert "create: said" in command("create", str(file))
    cluster._made.add("said")
    cluster.wait_task("said", "RUNNING")
    assert "1/1" in command("list")
    assert str(tmp_path / "copy.txt") in command("show", "said")
    command("pause", "said")
    cluster.wait_task("said", "PAUSED")
    command("restart", "said", "--failed")
    assert "--yes" in command("delete", "said", code=1, stdin=subprocess.DEVNULL)
    command("delete", "said", "--yes")
    wait_for(lambda: not cluster.status("said"), "its end", PATIENCE)
    assert {by for _, _, by in operations(cluster, "said")} == {"ben"}
    command("show", "said", code=4)
    assert SOURCE in command("plugins")
