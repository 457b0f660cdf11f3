"""A connector that nobody here wrote, on a real database: tables, topics and columns by the watcher, alone and with
the transform."""

from collections.abc import Iterator

import pytest

from tests.connect.cluster import PATIENCE, Cluster, Json, Watching
from tests.connect.postgres import Postgres
from tests.connect.smt import columns, smt, workers
from tests.support.server import wait_for

D = "io.debezium.transforms."
K = "org.apache.kafka.connect.transforms."
TABLES = """
create schema sales;
create table public.customers (id int primary key, name text, email text);
create table sales.orders (order_id int primary key, customer_id int, price numeric(10,2), note text);
alter table public.customers replica identity full;
insert into public.customers values (1, 'Ann', 'ann@example.com');
insert into sales.orders values (7, 1, 12.50, 'a long note');
"""


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    made = Postgres()
    made.sql("create database shop")
    made.sql(TABLES, "shop")
    yield made
    made.end()


def config(cluster: Cluster, postgres: Postgres, name: str, **more: str) -> Json:
    registry = cluster.registry.partition("/apis/")[0]
    avro = {
        f"{part}.converter{option}": value
        for part in ("key", "value")
        for option, value in {
            "": "io.apicurio.registry.utils.converter.AvroConverter",
            ".apicurio.registry.url": f"{registry}/apis/registry/v2",
            ".apicurio.registry.auto-register": "true",
            ".apicurio.registry.as-confluent": "true",
            ".apicurio.registry.use-id": "contentId",
            ".apicurio.registry.headers.enabled": "false",
        }.items()
    }
    return {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "database.hostname": "127.0.0.1",
        "database.port": str(postgres.port),
        "database.user": "owner",
        "database.password": "none",
        "database.dbname": "shop",
        "plugin.name": "pgoutput",
        "slot.name": name,
        "publication.name": name,
        "topic.prefix": name,
        "schema.name.adjustment.mode": "avro",
        **avro,
        **more,
    }


def database(postgres: Postgres) -> str:
    return f"postgres://127.0.0.1:{postgres.port}"


def test_change_records_of_two_tables(cluster: Cluster, postgres: Postgres, watcher: Watching) -> None:
    tables = {"table.include.list": "public.customers,sales.orders"}
    cluster.put("cdc", config(cluster, postgres, "cdc", **tables))
    real, _, _ = cluster.first_record("^cdc[.]sales[.]orders$")
    topic = f"kafka://{cluster.kafka}"
    expected = {
        "job:kafka-connect:cdc",
        f"dataset:{database(postgres)}:shop.public.customers",
        f"dataset:{database(postgres)}:shop.sales.orders",
        f"dataset:{topic}:cdc.public.customers",
        f"dataset:{topic}:{real}",
    }
    wait_for(lambda: cluster.nodes("job:kafka-connect:cdc") == expected, "tables and topics", PATIENCE)
    price = {("shop.sales.orders", "price", "IDENTITY", False)}
    wait_for(lambda: cluster.column(topic, real, "after.price") == price, "columns", PATIENCE)
    assert cluster.column(topic, real, "before.price") == price
    assert cluster.column(topic, real, "key.order_id") == {("shop.sales.orders", "order_id", "IDENTITY", False)}
    assert cluster.column(topic, real, "op") == set()
    # A table reaches its own topic, and not the other one.
    reached = cluster.get(
        "/api/v1/lineage", nodeId=f"dataset:{database(postgres)}:shop.sales.orders", direction="downstream"
    )
    assert f"dataset:{topic}:cdc.public.customers" not in {n["id"] for n in reached["graph"]}
    fields = cluster.get(f"/api/v1/namespaces/{_quoted(topic)}/datasets/{real}")["fields"]
    assert {"before", "after", "op", "key"} <= {field["name"] for field in fields}


def test_rows_taken_out_masked_routed_and_read_on(cluster: Cluster, postgres: Postgres, watcher: Watching) -> None:
    chain = {
        "table.include.list": "public\\.cust.*",
        "column.mask.hash.SHA-256.with.salt.abc": "public.customers.email",
        "transforms": "unwrap,rename",
        "transforms.unwrap.type": f"{D}ExtractNewRecordState",
        "transforms.unwrap.add.fields": "op,source.ts_ms",
        "transforms.rename.type": f"{K}ReplaceField$Value",
        "transforms.rename.renames": "name:full_name",
    }
    cluster.put("flat", config(cluster, postgres, "flat", **chain))
    real, _, _ = cluster.first_record("^flat[.]public[.]customers$")
    topic, table = f"kafka://{cluster.kafka}", "shop.public.customers"
    email = {(table, "email", "TRANSFORMATION", True)}
    wait_for(lambda: cluster.column(topic, real, "email") == email, "columns", PATIENCE)
    assert cluster.column(topic, real, "full_name") == {(table, "name", "IDENTITY", False)}
    assert cluster.column(topic, real, "__op") == set()
    fields = cluster.get(f"/api/v1/namespaces/{_quoted(topic)}/datasets/{real}")["fields"]
    assert {f["name"] for f in fields if f["name"] != "key"} == {"id", "full_name", "email", "__op", "__source_ts_ms"}


def test_two_tables_into_one_topic(cluster: Cluster, postgres: Postgres, watcher: Watching) -> None:
    for n in (1, 2):
        postgres.sql(
            f"create table shard_{n} (id int primary key, v text); insert into shard_{n} values (1, 'a')", "shop"
        )
    chain = {
        "table.include.list": "public.shard_1,public.shard_2",
        "transforms": "unwrap,route",
        "transforms.unwrap.type": f"{D}ExtractNewRecordState",
        "transforms.route.type": f"{D}ByLogicalTableRouter",
        "transforms.route.topic.regex": "(.*)_\\d",
        "transforms.route.topic.replacement": "$1s",
    }
    cluster.put("shards", config(cluster, postgres, "shards", **chain))
    real, _, _ = cluster.first_record("^shards[.]public[.]shards$")
    topic = f"kafka://{cluster.kafka}"
    both = {(f"shop.public.shard_{n}", "v", "IDENTITY", False) for n in (1, 2)}
    wait_for(lambda: cluster.column(topic, real, "v") == both, "columns", PATIENCE)
    fields = cluster.get(f"/api/v1/namespaces/{_quoted(topic)}/datasets/{real}")["fields"]
    assert "key" in {field["name"] for field in fields}


def test_with_the_transform_in_it(cluster: Cluster, postgres: Postgres, watcher: Watching) -> None:
    postgres.sql("create table items (id int primary key, label text); insert into items values (1, 'a')", "shop")
    chain = {
        "table.include.list": "public.items",
        **smt(cluster, **{"registry.url": cluster.registry}),
        "transforms": "unwrap,lineage",
        "transforms.unwrap.type": f"{D}ExtractNewRecordState",
    }
    cluster.put("inside", config(cluster, postgres, "inside", **chain))
    real, _, _ = cluster.first_record("^inside[.]public[.]items$")
    topic, table = f"kafka://{cluster.kafka}", "shop.public.items"
    label = {(table, "label", "IDENTITY", False)}
    wait_for(lambda: cluster.column(topic, real, "label") == label, "columns", PATIENCE)
    wait_for(lambda: [w["records"] for w in workers(cluster, "inside")] == [{real: 1}], "the count", PATIENCE)
    # Both name types in the same way, so that no schema is reported twice.
    wait_for(lambda: set(columns(cluster, real)) == {"id", "label", "key"}, "the schema", PATIENCE)
    cluster.wait_runs("inside", "RUNNING")
    postgres.sql("alter table items add price numeric(10,2); insert into items values (2, 'b', 12.5)", "shop")
    wait_for(lambda: "price" in columns(cluster, real), "the new column", PATIENCE)
    cluster.wait_runs("inside", "RUNNING")
    assert len(_versions(cluster, topic, real)) == 2


def test_the_transform_alone_reports_topics_and_schemas(cluster: Cluster, postgres: Postgres) -> None:
    chain = {"table.include.list": "sales.orders", **smt(cluster)}
    cluster.put("alone-inside", config(cluster, postgres, "alone_inside", **chain))
    real, _, _ = cluster.first_record("^alone_inside[.]sales[.]orders$")
    wait_for(lambda: {"before", "after", "op", "key"} <= set(columns(cluster, real)), "the schema", PATIENCE)
    assert cluster.nodes("job:kafka-connect:alone-inside") == {
        "job:kafka-connect:alone-inside",
        f"dataset:kafka://{cluster.kafka}:{real}",
    }


def _versions(cluster: Cluster, namespace: str, name: str) -> set[tuple[str, ...]]:
    """The schemas that a dataset had."""
    dataset = cluster.get(f"/api/v1/namespaces/{_quoted(namespace)}/datasets/{name}/versions", limit=100)
    return {tuple(f"{f['name']} {f['type']}" for f in version["fields"]) for version in dataset["versions"]}


def _quoted(namespace: str) -> str:
    return namespace.replace(":", "%3A").replace("/", "%2F")
