"""`headwater watch connect --once` on a real cluster."""

import json

from tests.connect.cluster import PATIENCE, Cluster
from tests.support.server import headwater, wait_for

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"


def test_what_is_seen(cluster: Cluster) -> None:
    (cluster.files / "app.log").write_text("a line\n")
    cluster.put("app-log", {"connector.class": SOURCE, "file": str(cluster.files / "app.log"), "topic": "app"})
    cluster.put("app-copy", {"connector.class": SINK, "file": str(cluster.files / "copy.log"), "topics": "app"})
    wait_for(lambda: (cluster.files / "copy.log").exists(), "the copy", PATIENCE)
    for name in ("app-log", "app-copy"):
        cluster.wait_task(name, "RUNNING")
    words = ["watch", "connect", "--connect", cluster.connect, "--kafka", cluster.kafka, "--once", "--dry-run"]
    done = headwater(*words, "--registry", cluster.registry)
    assert done.returncode == 0, done.stderr
    print(done.stdout)  # noqa: T201
    connectors = {one["connector"]: one for one in json.loads(headwater(*words, "--json").stdout)}
    topic = f"kafka://{cluster.kafka} app"
    assert connectors["app-log"]["inputs"] == [f"file {cluster.files}/app.log"]
    assert connectors["app-log"]["outputs"] == connectors["app-copy"]["inputs"] == [topic]
    assert connectors["app-copy"]["outputs"] == [f"file {cluster.files}/copy.log"]
    assert {one["state"] for one in connectors.values()} == {"RUNNING"}
