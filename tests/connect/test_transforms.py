"""Every transform: what a real worker did to real records is what was foreseen from the configuration alone."""

import json
import re
from typing import Any

import pytest

from headwater.watch.connect import mapping
from headwater.watch.connect.connector_lineage import connector_lineage
from headwater.watch.connect.extraction import TopicCatalog
from headwater.watch.connect.lineage import Output
from tests.connect.chains import CHAINS, options
from tests.connect.cluster import PATIENCE, Cluster
from tests.support.server import wait_for
from tests.unit.watch.connect.notation import catalog

LINE = "a line that nobody else writes"
JSON = "org.apache.kafka.connect.json.JsonConverter"


@pytest.fixture(scope="module", autouse=True)
def _connectors(cluster: Cluster) -> None:
    """All are made before the first is looked at: the worker starts them side by side."""
    for name, chain in CHAINS.items():
        file = cluster.files / f"{name}.txt"
        file.write_text(LINE + "\n")
        cluster.put(f"chain-{name}", config(cluster, name) | options(chain))


def config(cluster: Cluster, name: str) -> dict[str, str]:
    return {
        "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
        "file": str(cluster.files / f"{name}.txt"),
        "topic": name,
        "value.converter": JSON,
        "key.converter": JSON,
    }


def foreseen(cluster: Cluster, name: str) -> Output:
    whole = config(cluster, name) | options(CHAINS[name])
    lineage = connector_lineage(name, whole, "source", mapping.load(), TopicCatalog(cluster.kafka))
    assert lineage.notes == []
    (output,) = lineage.outputs.values()
    return output


@pytest.mark.parametrize("name", CHAINS)
def test_a_record_of_a_source_is_as_foreseen(cluster: Cluster, name: str) -> None:
    output = foreseen(cluster, name)
    topic = output.dataset.name
    pattern = re.sub(r"\{([^}]+)\}", lambda m: "." * len(m[1]), topic)  # a pattern of time
    real_topic, key, value = cluster.first_record("^" + pattern.replace(".", "[.]" if "{" not in topic else ".") + "$")
    assert re.fullmatch(pattern, real_topic)
    columns = columns_of(json.loads(value), "value")
    if key is not None and json.loads(key)["schema"] is not None:
        columns |= columns_of(json.loads(key), "key")
    assert set(output.columns) == set(columns)
    for column, real in columns.items():
        made = [origin.transformation for origin in output.columns[column]]
        if isinstance(real, str) and real == LINE:
            assert any(not how.masked for how in made), f"{column} has the line in it"
        elif isinstance(real, str) and all(not how.changed for how in made):
            assert made == [], f"{column} was foreseen to have the line in it, but has {real!r}"


def columns_of(record: dict[str, Any], part: str) -> dict[str, Any]:
    """Columns with their values: fields of structs, and the structs themselves."""
    prefix = () if part == "value" else ("key",)

    def below(schema: dict[str, Any], value: Any, above: tuple[str, ...]) -> dict[str, Any]:
        if schema["type"] != "struct":
            return {".".join(above) or part: value}
        columns = {".".join(above): value} if above else {}
        for field in schema["fields"]:
            columns |= below(field, value[field["field"]], (*above, field["field"]))
        return columns

    return below(record["schema"], record["payload"], prefix)


SINKS = {
    "sink-flatten-mask": [
        ("org.apache.kafka.connect.transforms.Flatten$Value", {"delimiter": "_"}),
        ("org.apache.kafka.connect.transforms.MaskField$Value", {"fields": "who_mail"}),
        ("org.apache.kafka.connect.transforms.ReplaceField$Value", {"exclude": "price", "renames": "id:order_id"}),
    ],
    "sink-cast-extract": [
        ("org.apache.kafka.connect.transforms.ExtractField$Value", {"field": "who"}),
        ("org.apache.kafka.connect.transforms.InsertField$Value", {"offset.field": "o", "partition.field": "p"}),
    ],
    "sink-route": [
        ("org.apache.kafka.connect.transforms.Flatten$Value", {"delimiter": "_"}),
        ("org.apache.kafka.connect.transforms.RegexRouter", {"regex": "sink-(.*)", "replacement": "table_$1"}),
        ("org.apache.kafka.connect.transforms.InsertField$Value", {"topic.field": "topic"}),
    ],
}
ORDER = {
    "schema": {
        "type": "struct",
        "fields": [
            {"field": "id", "type": "string"},
            {"field": "price", "type": "double"},
            {
                "field": "who",
                "type": "struct",
                "fields": [{"field": "name", "type": "string"}, {"field": "mail", "type": "string"}],
            },
        ],
    },
    "payload": {"id": "o1", "price": 1.5, "who": {"name": "Ann", "mail": "ann@x"}},
}
SCHEMA = "topic {}: id string, price double, who{{name string, mail string}}"


@pytest.mark.parametrize("name", SINKS)
def test_a_record_of_a_sink_is_as_foreseen(cluster: Cluster, name: str) -> None:
    """A file sink writes a record as `Struct{a=1,b=2}`: its fields are those foreseen for a table."""
    file = cluster.files / f"{name}.out"
    cluster.produce(name, json.dumps(ORDER).encode())
    chain = {"topics": name, "value.converter": JSON} | options(SINKS[name])
    real = {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector", "file": str(file)}
    cluster.put(name, chain | real)
    text = wait_for(lambda: file.exists() and file.read_text(), "the record", PATIENCE)
    fields = dict(pair.split("=", 1) for pair in re.findall(r"[\w.]+=[^,{}]*", text))
    table = {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "s3.bucket.name": "b"}
    lineage = connector_lineage(name, chain | table, "sink", mapping.load(), catalog([SCHEMA.format(name)]))
    (output,) = lineage.outputs.values()
    assert {column for column in output.columns if "." not in column} == set(fields)
    if "topic" in fields:
        assert output.dataset.name == f"topics/{fields['topic']}"
    values = {"id": "o1", "who.name": "Ann", "who.mail": "ann@x", "price": "1.5"}
    for column, origins in output.columns.items():
        for origin in origins:
            assert (fields[column] == values[origin.field]) is not origin.transformation.changed, column
