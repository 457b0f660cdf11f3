"""Events that the server's own decoder takes, and what they report."""

import json
from typing import Any

import msgspec

from headwater.openlineage.event import decode
from headwater.watch.connect import events, mapping
from headwater.watch.connect.connector_lineage import connector_lineage
from headwater.watch.connect.events import Job
from headwater.watch.connect.extraction import TopicCatalog
from headwater.watch.connect.lineage import Lineage
from headwater.watch.fields import Field
from headwater.watch.kafka.client import Flow, flow

JOB = Job("kafka-connect", "sink", "4.3.1")
SCHEMA = Field("", "struct", (Field("id", "string"), Field("to", "struct", (Field("city", "string"),))))


def iceberg_sink(**more: str) -> Lineage:
    config = {
        "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
        "topics": "orders",
        "iceberg.tables": "default.orders",
        "iceberg.catalog.type": "hive",
        "iceberg.catalog.uri": "thrift://m:9083",
        "iceberg.catalog.warehouse": "s3://warehouse",
        **more,
    }
    catalog = TopicCatalog("b:9092", schemas=lambda _, part: SCHEMA if part == "value" else None)
    return connector_lineage("sink", config, "sink", mapping.load(), catalog)


def event(lineage: Lineage, kind: str = "START", facets: dict[str, Any] | None = None) -> dict[str, Any]:
    inputs, outputs = events.inputs(lineage, {}, full=True), events.outputs(lineage, full=True)
    return events.of_run(kind, JOB, "00000000-0000-4000-8000-000000000000", inputs, outputs, facets or {})


def test_the_server_takes_it() -> None:
    lineage = iceberg_sink(**{"transforms": "x", "transforms.x.type": "org.example.X"})
    facets = events.failure("task 0 failed", "java.lang.X: boom\n\tat y") | events.extraction_errors(lineage)
    decoded = decode(msgspec.json.encode(event(lineage, "FAIL", facets)))
    assert decoded.job == ("kafka-connect", "sink")
    assert [(d.namespace, d.name) for d in decoded.inputs] == [("kafka://b:9092", "orders")]
    assert [(d.namespace, d.name) for d in decoded.outputs] == [("s3://warehouse", "orders")]


def test_columns_and_schema() -> None:
    (output,) = event(iceberg_sink())["outputs"]
    facets = output["facets"]
    assert facets["schema"]["fields"] == [
        {"name": "id", "type": "string"},
        {"name": "to", "type": "struct", "fields": [{"name": "city", "type": "string"}]},
    ]
    assert facets["columnLineage"]["fields"]["to.city"]["inputFields"] == [
        {
            "namespace": "kafka://b:9092",
            "name": "orders",
            "field": "to.city",
            "transformations": [{"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}],
        }
    ]
    links = facets["symlinks"]["identifiers"]
    assert links == [{"namespace": "hive://m:9083", "name": "default.orders", "type": "TABLE"}]


def test_masking_is_reported() -> None:
    mask = {"transforms": "m", "transforms.m.type": "org.apache.kafka.connect.transforms.MaskField$Value"}
    (output,) = event(iceberg_sink(**mask, **{"transforms.m.fields": "id"}))["outputs"]
    (origin,) = output["facets"]["columnLineage"]["fields"]["id"]["inputFields"]
    assert origin["transformations"][0] | {"description": ""} == {
        "type": "DIRECT",
        "subtype": "TRANSFORMATION",
        "description": "",
        "masking": True,
    }


def test_with_several_inputs_and_outputs_it_says_which_goes_where() -> None:
    config = {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "topics": "a,b", "s3.bucket.name": "x"}
    lineage = connector_lineage("sink", config, "sink", mapping.load(), TopicCatalog("b:9092"))
    for output in events.outputs(lineage, full=True):
        (source,) = output["facets"]["lineage"]["inputs"]
        assert output["name"] == f"topics/{source['name']}"


def test_a_failure_names_the_cause() -> None:
    facet = events.failure("task 2 failed", "java.lang.X: boom\n\tat y\n")["errorMessage"]
    assert facet["message"] == "task 2 failed: java.lang.X: boom"
    assert "at y" in facet["stackTrace"]
    assert events.failure("it failed", "")["errorMessage"]["stackTrace"] == "it failed"


def test_an_event_is_plain_json() -> None:
    assert json.loads(json.dumps(event(iceberg_sink())))["eventType"] == "START"


def test_flow_of_a_source_is_the_growth_of_its_topic() -> None:
    before, now = (
        (10.0, {("t", 0): 100, ("t", 1): 0}),
        (20.0, {("t", 0): 150, ("t", 1): 50, ("t", 2): 999, ("u", 0): 5}),
    )
    assert flow("t", now, before, None, None) == Flow(10.0, 100, None, 1199)
    assert flow("t", now, (0.0, {}), None, None) == Flow(None, None, None, 1199)


def test_flow_of_a_sink_is_what_it_committed_and_what_is_left() -> None:
    ends = (20.0, {("t", 0): 150, ("t", 1): 50})
    assert flow("t", ends, ends, (20.0, {("t", 0): 140, ("t", 1): 50}), (10.0, {("t", 0): 100})) == Flow(
        4.0, 40, 10, 200
    )
    assert flow("t", ends, ends, (20.0, {}), None) == Flow(None, None, None, 200)
