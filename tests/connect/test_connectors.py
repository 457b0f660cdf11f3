"""Headwater's connectors in a real worker, with a real broker, registry and S3 store."""

import json
import signal
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro
import httpx
import pytest

from pipeline.schemas import ORDER_VERSIONS
from tests.connect import stored_records
from tests.connect.cluster import PATIENCE, Cluster
from tests.connect.worker import Worker
from tests.support.server import wait_for

JSON = {"converter": "org.apache.kafka.connect.json.JsonConverter", "converter.schemas.enable": "false"}
SOURCE, SINK = "io.headwater.connect.GeneratorSource", "io.headwater.connect.S3Sink"
Config = dict[str, Any]


def numbers(topic: str, **more: str) -> Config:
    """A source of numbers, from 0 on."""
    return {
        "connector.class": SOURCE,
        "kafka.topic": topic,
        "fields": "n",
        "field.n.with": "#{sequence}",
        "field.n.type": "long",
        **value(JSON),
        **more,
    }


def sink(cluster: Cluster, topic: str, **more: str) -> Config:
    """Into a folder that is named after the topic."""
    values = cluster.lab.state()["values"]
    return {
        "connector.class": SINK,
        "topics": topic,
        "s3.bucket.name": "archive",
        "store.url": cluster.lab.url("s3"),
        "aws.access.key.id": values["s3-key"],
        "aws.secret.access.key": values["s3-secret"],
        "topics.dir": "",
        "rotate.interval.ms": "1000",
        # What was written in a transaction that a killed worker left behind does not count.
        "consumer.override.isolation.level": "read_committed",
        # The broker's shortest: nobody waits long for a worker that was killed.
        "consumer.override.session.timeout.ms": "6000",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        **value(JSON),
        **more,
    }


def value(converter: dict[str, str]) -> Config:
    return {f"value.{name}": text for name, text in converter.items()}


def avro(cluster: Cluster) -> dict[str, str]:
    """In the format of Confluent's clients."""
    registry = cluster.registry.replace("ccompat/v7", "registry/v2")
    options = {"url": registry, "as-confluent": "true", "use-id": "contentId", "headers.enabled": "false"}
    options["auto-register"] = "true"
    return {"converter": "io.apicurio.registry.utils.converter.AvroConverter"} | {
        f"converter.apicurio.registry.{name}": text for name, text in options.items()
    }


@pytest.fixture
def worker(cluster: Cluster, tmp_path: Path) -> Iterator[Worker]:
    made = Worker(cluster, tmp_path, "killed").start()
    yield made
    made.end()


def test_a_killed_worker_loses_and_doubles_nothing(cluster: Cluster, worker: Worker) -> None:
    topic, count = "killed", 30_000
    put(worker, "numbers", numbers(topic, rate="2000", iterations=str(count)))
    put(worker, "objects", sink(cluster, topic, **{"flush.size": "700"}))

    def stored() -> int:
        return len(stored_records.objects(cluster.lab.data, topic))

    for some in (3, 12):
        wait_for(partial(_reached, stored, some), f"{some} objects", PATIENCE)
        worker.end(signal.SIGKILL)
        worker.start()
    assert stored_records.wait_stored(cluster.lab.data, topic, count, PATIENCE) == list(range(count))
    assert stored_records.sequence(cluster.kafka, topic) == list(range(count))


def _reached(count: Callable[[], int], expected: int) -> bool:
    return count() >= expected


def test_a_store_that_is_away_for_half_a_minute(cluster: Cluster) -> None:
    topic, count = "away", 20_000
    cluster.put("away-numbers", numbers(topic, rate="500", iterations=str(count)))
    cluster.put("away-objects", sink(cluster, topic, **{"flush.size": "700"}))
    wait_for(lambda: stored_records.objects(cluster.lab.data, topic), "the first object", PATIENCE)
    assert cluster.lab.run("stop", "s3").returncode == 0
    before, began = len(stored_records.stored(cluster.lab.data, topic)), time.monotonic()
    wait_for(lambda: time.monotonic() - began > 30, "half a minute", 60)
    assert len(stored_records.stored(cluster.lab.data, topic)) == before
    cluster.wait_task("away-objects", "RUNNING")
    assert cluster.lab.run("start", "s3").returncode == 0
    assert stored_records.wait_stored(cluster.lab.data, topic, count, PATIENCE) == list(range(count))


@pytest.mark.parametrize(
    ("format_", "option", "codec"),
    [
        ("json", "s3.compression.type", "none"),
        ("json", "s3.compression.type", "gzip"),
        ("avro", "avro.codec", "null"),
        ("avro", "avro.codec", "deflate"),
        ("parquet", "parquet.codec", "none"),
        ("parquet", "parquet.codec", "gzip"),
        ("parquet", "parquet.codec", "snappy"),
        ("parquet", "parquet.codec", "zstd"),
    ],
)
def test_objects_can_be_read_by_others(cluster: Cluster, format_: str, option: str, codec: str) -> None:
    topic = f"typed-{format_}-{codec}"
    with_schemas = value(JSON | {"converter.schemas.enable": "true"})
    fields = {"n": ("#{sequence}", "long"), "name": ("ten € #{sequence}", "string"), "yes": ("true", "boolean")}
    fields |= {"money": ("12.5", "decimal(2)"), "share": ("0.25", "double")}
    fields |= {"at": ("#{date.past '1','SECONDS'}", "timestamp")}
    typed = {f"field.{name}.with": text for name, (text, _) in fields.items()}
    typed |= {f"field.{name}.type": kind for name, (_, kind) in fields.items()}
    before = datetime.now(UTC) - timedelta(seconds=2)
    cluster.put(topic, numbers(topic, iterations="300", rate="0", fields=",".join(fields), **typed, **with_schemas))
    options = {"format.class": format_, option: codec, "flush.size": "100", **with_schemas}
    cluster.put(f"{topic}-objects", sink(cluster, topic, **options))
    stored_records.wait_stored(cluster.lab.data, topic, 300, PATIENCE)
    rows = sorted(
        (row for path in stored_records.objects(cluster.lab.data, topic) for row in stored_records.rows(path)),
        key=lambda row: row["n"],
    )
    assert [row["n"] for row in rows] == list(range(300))
    for row in rows:
        at = row["at"] if format_ != "json" else datetime.fromtimestamp(row["at"] / 1000, UTC)
        assert before <= at <= datetime.now(UTC)
        assert (row["yes"], row["share"], row["name"]) == (True, 0.25, f"ten € {row['n']}")
        assert row["money"] == (12.5 if format_ == "json" else Decimal("12.50"))


def test_orders_in_avro_are_those_of_the_pipeline(cluster: Cluster) -> None:
    expected = json.loads(ORDER_VERSIONS[1])
    names = [field["name"] for field in expected["fields"]]
    cluster.put(
        "shop",
        {
            "connector.class": SOURCE,
            "kafka.topic": "shop",
            "iterations": "500",
            "schema.name": "orders.Order",
            "schema.keyfield": "order_id",
            "fields": ",".join(names),
            **{f"field.{name}.with": f"#{{sequence}} {name}" for name in names},
            "field.bid_time.with": "#{date.past '5','SECONDS'}",
            "field.bid_time.type": "timestamp",
            "key.converter": "org.apache.kafka.connect.storage.StringConverter",
            **value(avro(cluster)),
        },
    )
    _, key, content = cluster.first_record("^shop$")
    assert key == b"0 order_id"
    assert content[0] == 0
    answer = cluster.http.get(f"{cluster.registry}/schemas/ids/{int.from_bytes(content[1:5], 'big')}")
    schema = json.loads(answer.json()["schema"])
    assert (schema["namespace"], schema["name"]) == ("orders", "Order")
    assert [(f["name"], plain(f["type"])) for f in schema["fields"]] == [
        (f["name"], plain(f["type"])) for f in expected["fields"]
    ]
    order: Any = fastavro.schemaless_reader(BytesIO(content[5:]), fastavro.parse_schema(expected), None)
    assert order["item"] == "0 item"
    assert order["bid_time"].tzinfo is not None
    # And back into objects, but for what is no order.
    cluster.produce("shop", b"\0\0\0\0\1nonsense", b"no Avro at all")
    letters = {"errors.tolerance": "all", "errors.deadletterqueue.topic.name": "shop-dead-letters"}
    letters["errors.deadletterqueue.topic.replication.factor"] = "1"
    options = {"format.class": "parquet", **letters, **value(avro(cluster))}
    cluster.put("shop-objects", sink(cluster, "shop", **options))

    def stored() -> list[Any]:
        return [row for path in stored_records.objects(cluster.lab.data, "shop") for row in stored_records.rows(path)]

    wait_for(lambda: len(stored()) >= 500, "all orders in the store", PATIENCE)
    assert {row["order_id"] for row in stored()} == {f"{n} order_id" for n in range(500)}
    wait_for(lambda: len(stored_records.records(cluster.kafka, "shop-dead-letters")) == 2, "two dead letters", PATIENCE)


def plain(kind: Any) -> Any:
    return (kind["type"], kind["logicalType"]) if isinstance(kind, dict) else kind


def test_what_is_wrong_is_shown_at_the_option(cluster: Cluster) -> None:
    assert errors(cluster, numbers("x", **{"field.n.with": "#{nonsense.n}"}), "wrong")["fields"][0].startswith(
        "field n: Datafaker cannot evaluate #{nonsense.n}"
    )
    bad = sink(cluster, "x", **{"format.class": "csv", "flush.size": "0"})
    del bad["s3.bucket.name"]
    assert set(errors(cluster, bad, "wrong")) == {"format.class", "flush.size", "s3.bucket.name"}
    assert errors(cluster, numbers("x"), "right") == errors(cluster, sink(cluster, "x"), "right") == {}


def test_a_bucket_that_is_not_there_fails_the_task(cluster: Cluster) -> None:
    cluster.put("no-bucket-numbers", numbers("no-bucket", iterations="10", rate="0"))
    cluster.put("no-bucket-objects", sink(cluster, "no-bucket", **{"s3.bucket.name": "nowhere"}))
    cluster.wait_task("no-bucket-objects", "FAILED")
    trace = cluster.status("no-bucket-objects")["tasks"][0]["trace"]
    assert "bucket nowhere refused to" in trace


def errors(cluster: Cluster, config: Config, name: str) -> dict[str, list[str]]:
    kind = config["connector.class"].rpartition(".")[2]
    answer = cluster.http.put(
        f"{cluster.connect}/connector-plugins/{kind}/config/validate", json=config | {"name": name}
    )
    values = (one["value"] for one in answer.json()["configs"])
    return {one["name"]: one["errors"] for one in values if one["errors"]}


def put(worker: Worker, name: str, config: Config) -> None:
    def done() -> bool:
        answer = httpx.put(f"{worker.url}/connectors/{name}/config", json=config, timeout=60)
        assert answer.status_code in (200, 201, 409), answer.text
        return answer.status_code != 409

    wait_for(done, name, PATIENCE)
