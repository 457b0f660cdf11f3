"""What tests do with a cluster: make connectors, write and read records, query Headwater."""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx
from confluent_kafka import Consumer, KafkaError, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from tests.support.lab import Lab
from tests.support.server import HEADWATER, wait_for

# A busy machine may take this long for a rebalance; reaching it means that something hangs.
PATIENCE = 180.0
NAMESPACE = "kafka-connect"
Json = dict[str, Any]


class Cluster:
    def __init__(self, lab: Lab, files: Path) -> None:
        self.lab, self.files = lab, files
        self.kafka, self.connect, self.registry, self.headwater = (
            lab.url(name) for name in ("kafka", "connect", "registry", "headwater")
        )
        self.http = httpx.Client(timeout=120)
        self._made: set[str] = set()

    # Connect

    def put(self, name: str, config: Json) -> None:
        answer = self._request("PUT", f"/connectors/{name}/config", json=config)
        assert answer.status_code in (200, 201), answer.text
        self._made.add(name)

    def call(self, method: str, path: str) -> None:
        answer = self._request(method, path)
        assert answer.is_success, answer.text

    def delete(self, name: str) -> None:
        self.call("DELETE", f"/connectors/{name}")
        self._made.discard(name)

    def _request(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Connect answers 409 during a rebalance; then the request is repeated."""
        end = time.monotonic() + PATIENCE
        while True:
            answer = self.http.request(method, self.connect + path, **more)
            if answer.status_code != 409 or time.monotonic() > end:
                return answer
            time.sleep(0.5)

    def status(self, name: str) -> Json:
        answer = self.http.get(f"{self.connect}/connectors/{name}/status")
        return dict(answer.json()) if answer.status_code == 200 else {}

    def wait_task(self, name: str, state: str) -> None:
        wait_for(
            lambda: (tasks := self.status(name).get("tasks")) and all(t["state"] == state for t in tasks),
            f"{name} to be {state}",
            PATIENCE,
        )

    def end(self) -> None:
        for name in list(self._made):
            self._request("DELETE", f"/connectors/{name}")
        self.http.close()

    # Kafka

    def topic(self, name: str, partitions: int) -> None:
        admin = AdminClient({"bootstrap.servers": self.kafka})
        admin.create_topics([NewTopic(name, partitions, 1)])[name].result(60)

    def produce(self, topic: str, *values: bytes, key: bytes | None = None) -> None:
        producer = Producer({"bootstrap.servers": self.kafka})
        for value in values:
            producer.produce(topic, value, key)
        assert producer.flush(60) == 0

    def first_record(self, pattern: str) -> tuple[str, bytes | None, bytes]:
        """Topic, key and value of the first record in a topic that fits (`^…`)."""
        consumer = Consumer(
            {"bootstrap.servers": self.kafka, "group.id": f"test-{time.time_ns()}", "auto.offset.reset": "earliest"}
            | {"enable.auto.commit": False, "topic.metadata.refresh.interval.ms": 500}
        )
        consumer.subscribe([pattern])
        try:

            def first() -> Any:
                message = consumer.poll(0.5)
                if message is None:
                    return None
                error = message.error()
                if error is None:
                    return message
                assert error.code() in (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._PARTITION_EOF), error
                return None

            message = wait_for(first, f"a record in {pattern}", PATIENCE)
            return message.topic(), message.key(), message.value()
        finally:
            consumer.close()

    # Headwater

    def get(self, path: str, **parameters: Any) -> Json:
        answer = self.http.get(self.headwater + path, params=parameters)
        return dict(answer.json()) if answer.status_code == 200 else {}

    def runs(self, name: str) -> list[Json]:
        """Latest first."""
        return list(self.get(f"/api/v1/namespaces/{NAMESPACE}/jobs/{name}/runs").get("runs", []))

    def wait_runs(self, name: str, *states: str) -> list[Json]:
        try:
            runs = wait_for(
                lambda: (r := self.runs(name)) and [run["state"] for run in r] == [*states] and r, name, PATIENCE
            )
        except AssertionError:
            ends = [(run["state"], run["facets"].get("headwater_end", {}).get("reason")) for run in self.runs(name)]
            raise AssertionError(f"{name}: {ends}") from None
        return list(runs)

    def wait_facet(self, name: str, state: str, tasks: str | None = None) -> Json:
        """Until the connector, and its tasks if `tasks` names their state, are reported in a state."""

        def in_state() -> Json | None:
            facet: Json = next((run["facets"].get("headwater_connect", {}) for run in self.runs(name)), {})
            states = {task["state"] for task in facet.get("tasks", ())}
            return facet if facet.get("state") == state and (tasks is None or states == {tasks}) else None

        return dict(wait_for(in_state, f"{name} to be reported as {state}", PATIENCE))

    def nodes(self, node: str) -> set[str]:
        return {n["id"] for n in self.get("/api/v1/lineage", nodeId=node).get("graph", [])}

    def column(self, namespace: str, dataset: str, field: str) -> set[tuple[str, str, str, bool]]:
        """The columns that a column was made from: dataset, field, subtype, masking."""
        graph = self.get("/api/v1/column-lineage", nodeId=f"dataset:{namespace}:{dataset}", depth=1).get("graph", [])
        node_id = f"datasetField:{namespace}:{dataset}:{field}"
        inputs: list[Json] = next((node["data"]["inputFields"] for node in graph if node["id"] == node_id), [])
        return {(i["dataset"], i["field"], t["subtype"], t["masking"]) for i in inputs for t in i["transformations"]}


class Watching:
    """`headwater watch connect` as a process, which may be killed and started again."""

    def __init__(self, cluster: Cluster, folder: Path, connect: str | None = None) -> None:
        self._cluster, self._folder, self._connect = cluster, folder, connect or cluster.connect
        self.log = folder / "watch.log"
        self.start()

    def start(self) -> None:
        c = self._cluster
        words = ["watch", "connect", "--connect", self._connect, "--registry", c.registry, "--kafka", c.kafka]
        words += ["--url", c.headwater, "--json", "--interval", "1", "--heartbeat", "20"]
        words += ["--state", str(self._folder / "state.json"), "--spool", str(self._folder / "spool")]
        with self.log.open("ab") as output:
            self.process = subprocess.Popen([*HEADWATER, *words], stdout=output, stderr=subprocess.STDOUT)

    def stop(self, number: int = signal.SIGTERM) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(60)

    def events(self, name: str) -> list[Json]:
        lines = [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if line["connector"] == name]
