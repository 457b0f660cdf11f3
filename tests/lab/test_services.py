"""Each service of a whole lab answers its own clients, and knows after a restart what it knew before."""

import time
from pathlib import Path

import httpx
import pytest
from confluent_kafka.schema_registry import Schema
from confluent_kafka.schema_registry.error import SchemaRegistryError

from headwater.lab import health, kafka
from headwater.lab.health import Batches, KafkaRecords
from headwater.lab.services import SERVICES
from tests.lab.clients import consume, create_database, produce, schemas, store
from tests.support.checkpoints import finish
from tests.support.lab import Lab

ORDER = '{"type": "record", "name": "Order", "fields": [{"name": "price", "type": "double"}]}'
ORDER_AS_TEXT = ORDER.replace("double", "string")
ORDER_WITH_ITEM = ORDER.replace("]}", ', {"name": "item", "type": "string", "default": ""}]}')


def test_everything_is_up_and_well(whole_lab: Lab) -> None:
    status = whole_lab.status()
    assert {s["name"]: s["health"] for s in status["services"]} == {s.name: "ok" for s in SERVICES if not s.pipeline}
    assert all(s["memory"] > 1 << 20 and s["pid"] and s["port"] for s in status["services"])


def test_messages_go_through_kafka(whole_lab: Lab) -> None:
    produce(whole_lab, "orders", b"one", b"two")
    assert consume(whole_lab, "orders", 2) == [b"one", b"two"]


def test_a_topic_is_looked_at_without_a_client(whole_lab: Lab) -> None:
    values = {**whole_lab.state()["values"], "started": "0"}
    address = values["host"], int(values["kafka"])
    assert kafka.records(*address, "checked") == 0
    assert health.problem(KafkaRecords("kafka", "checked"), values) == "no new records in topic checked"
    now = time.time()
    produce(whole_lab, "checked", b"old", at=now - 1000)
    assert health.problem(KafkaRecords("kafka", "checked"), values) == "no new records in topic checked"
    produce(whole_lab, "checked", b"new", at=now)
    assert kafka.records(*address, "checked") == 2
    assert kafka.first_since(*address, "checked", now - 500) == pytest.approx(now, abs=0.01)
    assert health.problem(KafkaRecords("kafka", "checked"), values) is None
    assert health.problem(KafkaRecords("kafka", "checked"), {**values, "started": str(now + 1)})


def test_a_stream_that_leaves_records_unread_is_not_well_but_one_that_has_nothing_to_do_is(
    whole_lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    check, stuck = (Batches("checkpoints", ("stats",), "kafka", topic) for topic in ("read", "unread"))
    values = {**whole_lab.state()["values"], "folder": str(tmp_path), "started": str(now - 5000)}
    finish(tmp_path / "checkpoints/stats", 9, now - 3000)
    produce(whole_lab, "read", b"read", at=now - 3001)
    assert health.problem(check, values) is None
    produce(whole_lab, "read", b"just now", at=now)
    assert health.problem(check, values) is None
    produce(whole_lab, "unread", b"long ago", at=now - 2000)
    monkeypatch.setattr(time, "time", lambda: now)  # a busy machine takes seconds to get here
    assert health.problem(stuck, values) == "stats has not finished a batch for 3000 s"


def test_schemas_are_registered_and_may_only_change_compatibly(whole_lab: Lab) -> None:
    with schemas(whole_lab) as registry:
        number = registry.register_schema("orders-value", Schema(ORDER, "AVRO"))
        assert registry.get_schema(number).schema_str == ORDER
        assert registry.get_compatibility() == "BACKWARD"
        with pytest.raises(SchemaRegistryError):
            registry.register_schema("orders-value", Schema(ORDER_AS_TEXT, "AVRO"))
        registry.register_schema("orders-value", Schema(ORDER_WITH_ITEM, "AVRO"))
        assert registry.get_latest_version("orders-value").version == 2


def test_objects_are_kept_and_only_the_key_opens_the_store(whole_lab: Lab) -> None:
    assert store(whole_lab, "PUT", "/warehouse/day 1/orders.txt", b"42 orders").status_code == 200
    assert store(whole_lab, "GET", "/warehouse/day 1/orders.txt").content == b"42 orders"
    assert store(whole_lab, "GET", "/warehouse/day 1/orders.txt", secret="guessed").status_code == 403
    assert httpx.get(f"{whole_lab.url('s3')}/warehouse").status_code == 403


def test_the_catalog_makes_a_database_with_a_folder_in_the_store(whole_lab: Lab) -> None:
    create_database(whole_lab, "sales")
    assert (
        health.problem(health.ThriftCall("metastore", "get_all_databases", "sales"), whole_lab.state()["values"])
        is None
    )
    assert "<Key>sales.db/</Key>" in store(whole_lab, "GET", "/warehouse").text


def test_connect_has_plugins_and_runs_a_connector(whole_lab: Lab) -> None:
    plugins = httpx.get(f"{whole_lab.url('connect')}/connector-plugins", params={"connectorsOnly": "false"}).json()
    classes = {plugin["class"] for plugin in plugins}
    assert "org.apache.kafka.connect.file.FileStreamSourceConnector" in classes
    assert "org.apache.kafka.connect.json.JsonConverter" in classes
    source = whole_lab.data.parent / "lines.txt"
    source.write_text("first line\n")
    config = {
        "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
        "file": str(source),
        "topic": "lines",
        "value.converter": "org.apache.kafka.connect.storage.StringConverter",
    }
    made = httpx.put(f"{whole_lab.url('connect')}/connectors/lines/config", json=config, timeout=60)
    assert made.status_code == 201, made.text
    assert consume(whole_lab, "lines", 1) == [b"first line"]


def test_the_spark_history_lists_applications(whole_lab: Lab) -> None:
    assert httpx.get(f"{whole_lab.url('history')}/api/v1/applications").json() == []


def test_down_and_up_again_keep_everything(whole_lab: Lab) -> None:
    before = whole_lab.state()["ports"]
    produce(whole_lab, "kept", b"message")
    with schemas(whole_lab) as registry:
        number = registry.register_schema("kept-value", Schema(ORDER, "AVRO"))
    assert store(whole_lab, "PUT", "/archive/kept", b"object").status_code == 200
    create_database(whole_lab, "kept")
    whole_lab.down()
    assert not whole_lab.processes()
    whole_lab.up()
    assert whole_lab.state()["ports"] == before
    assert consume(whole_lab, "kept", 1) == [b"message"]
    with schemas(whole_lab) as registry:
        assert registry.get_schema(number).schema_str == ORDER
        assert registry.get_compatibility() == "BACKWARD"
    assert store(whole_lab, "GET", "/archive/kept").content == b"object"
    assert (
        health.problem(health.ThriftCall("metastore", "get_all_databases", "kept"), whole_lab.state()["values"]) is None
    )
    assert "lines" in httpx.get(f"{whole_lab.url('connect')}/connectors").json()
