"""Names of datasets, against those that OpenLineage's listener gave in recorded runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from headwater.emit import naming
from headwater.emit.naming import Dataset

ROOT = Path(__file__).parents[3]
RECORDED = [
    ROOT / "headwater/demo/orders-spark-batch.jsonl",
    ROOT / "tests/scenarios/spark-batch-on-files.jsonl",
    ROOT / "tests/scenarios/spark-streaming-killed.jsonl",
]


def recorded() -> list[Any]:
    datasets = {}
    for file in RECORDED:
        for line in file.read_text().splitlines():
            event = json.loads(line)
            for dataset in [*event.get("inputs", ()), *event.get("outputs", ())]:
                datasets[dataset["namespace"], dataset["name"]] = dataset
    return list(datasets.values())


def test_recorded_names_come_out_of_the_places_that_they_stand_for() -> None:
    seen = set()
    for dataset in recorded():
        namespace, name = dataset["namespace"], dataset["name"]
        kind = namespace.partition("://")[0]
        if kind == "kafka":
            servers = namespace.removeprefix("kafka://") + ",other:9092"
            made = naming.of_topics({"kafka.bootstrap.servers": servers, "subscribe": name})
        elif kind == "s3":
            made = [naming.of_path(f"s3a://{namespace.removeprefix('s3://')}/{name}")]
        else:
            assert kind == "file"
            made = [naming.of_path(f"file:{name}"), naming.of_path(f"file://{name}/")]
        assert {d.key for d in made} == {(namespace, name)}
        seen.add(kind)
    assert seen == {"kafka", "s3", "file"}


def test_recorded_symlinks_come_out_of_the_settings_of_their_catalog() -> None:
    seen = set()
    for dataset in recorded():
        catalog = dataset["facets"].get("catalog")
        for link in dataset["facets"].get("symlinks", {}).get("identifiers", ()):
            settings = {
                "type": catalog["type"],
                "uri": catalog.get("metadataUri", ""),
                "warehouse": catalog["warehouseUri"],
            }
            assert naming.symlink(settings, link["name"]) == (link["namespace"], link["name"])
            seen.add(catalog["type"])
    assert seen == {"rest", "hadoop"}


def test_a_metastore_is_named_by_its_address() -> None:
    settings = {"type": "hive", "uri": "thrift://meta:9083,thrift://other:9083", "warehouse": "s3://warehouse/"}
    assert naming.symlink(settings, "default.orders") == ("hive://meta:9083", "default.orders")


@pytest.mark.parametrize(
    ("path", "namespace", "name"),
    [
        ("/data/orders", "file", "/data/orders"),
        ("file:///data/orders/", "file", "/data/orders"),
        ("/data/orders/*.json", "file", "/data/orders"),
        ("s3://warehouse/orders", "s3://warehouse", "orders"),
        ("s3n://bucket/a/b/", "s3://bucket", "a/b"),
        ("s3a://bucket/day=*/x", "s3://bucket", "/"),
        ("gs://bucket/a", "gs://bucket", "a"),
        ("hdfs://name:8020/a/b", "hdfs://name:8020", "/a/b"),
        ("abfss://box@account.dfs.core.windows.net/a", "abfss://box@account.dfs.core.windows.net", "/a"),
        ("dbfs:/mnt/a", "dbfs", "/mnt/a"),
    ],
)
def test_a_path_is_named_by_its_store(path: str, namespace: str, name: str) -> None:
    assert naming.of_path(path) == Dataset(namespace, name)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"subscribe": "a, b"}, ["a", "b"]),
        ({"assign": '{"a": [0, 1]}'}, ["a"]),
        ({"subscribePattern": "orders-.*"}, ["orders-.*"]),
        ({"topic": "out"}, ["out"]),
        ({}, []),
    ],
)
def test_topics_are_named_by_the_first_broker(options: dict[str, str], names: list[str]) -> None:
    topics = naming.of_topics({"kafka.bootstrap.servers": "PLAINTEXT://b1:9092, b2:9092", **options})
    assert topics == [Dataset("kafka://b1:9092", name) for name in names]


@pytest.mark.parametrize(
    ("url", "table", "namespace", "name"),
    [
        ("jdbc:postgresql://db/shop", "public.orders", "postgres://db:5432", "shop.public.orders"),
        ("jdbc:postgresql://db:5433/shop?user=x", '"orders"', "postgres://db:5433", "shop.orders"),
        ("jdbc:mysql://db:3306/shop", "`orders`", "mysql://db:3306", "shop.orders"),
        ("jdbc:sqlserver://db;databaseName=shop;user=x", "[dbo].[orders]", "sqlserver://db:1433", "shop.dbo.orders"),
        ("jdbc:oracle:thin:@//db:1521/shop", "orders", "oracle://db:1521", "shop.orders"),
    ],
)
def test_tables_of_databases(url: str, table: str, namespace: str, name: str) -> None:
    assert naming.of_jdbc(url, table) == Dataset(namespace, name)
