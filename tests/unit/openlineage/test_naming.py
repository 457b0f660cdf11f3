"""One dataset, one name."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headwater.openlineage.naming import brokers, canonical, is_session_local
from tests.support.examples import examples


@pytest.mark.parametrize(
    ("given_name", "expected"),
    [
        # One scheme for what is one store.
        (("s3a://bucket", "path/table"), ("s3://bucket", "path/table")),
        (("s3n://bucket", "path/table"), ("s3://bucket", "path/table")),
        (("s3://bucket", "path/table"), ("s3://bucket", "path/table")),
        # Schemes in small letters; what follows keeps its case.
        (("S3A://Bucket", "Path"), ("s3://Bucket", "Path")),
        (("HDFS://NameNode:8020", "/Warehouse"), ("hdfs://NameNode:8020", "/Warehouse")),
        # No slashes at the end.
        (("s3://bucket/", "path/table/"), ("s3://bucket", "path/table")),
        (("hdfs://node:8020//", "/warehouse//"), ("hdfs://node:8020", "/warehouse")),
        (("file", "/tmp/table/"), ("file", "/tmp/table")),
        # Object stores have no root, file systems do.
        (("s3://bucket", "/path/table"), ("s3://bucket", "path/table")),
        (("gs://bucket", "//path/table"), ("gs://bucket", "path/table")),
        (("hdfs://node:8020", "/path"), ("hdfs://node:8020", "/path")),
        (("file", "/path"), ("file", "/path")),
        # The root stays.
        (("file", "/"), ("file", "/")),
        (("s3://bucket", "/"), ("s3://bucket", "/")),
        (("s3://bucket", "//"), ("s3://bucket", "/")),
        # Brokers in one order.
        (("kafka://b:9092,a:9092", "topic"), ("kafka://a:9092,b:9092", "topic")),
        (("kafka://b:9092, a:9092,", "topic"), ("kafka://a:9092,b:9092", "topic")),
        (("KAFKA://a:9092/", "topic"), ("kafka://a:9092", "topic")),
        (("kafka://b:9092/,a:9092/", "topic"), ("kafka://a:9092,b:9092", "topic")),
        # Commas elsewhere mean nothing.
        (("postgres://b,a", "db.t"), ("postgres://b,a", "db.t")),
        # No scheme, no rule.
        (("orders", "public.orders"), ("orders", "public.orders")),
        (("S3A", "x"), ("S3A", "x")),
        (("", "x"), ("", "x")),
        (("://x", "/y"), ("://x", "/y")),
        (("file:///", "x"), ("file:///", "x")),
    ],
)
def test_spellings_of_one_name_are_made_equal(given_name: tuple[str, str], expected: tuple[str, str]) -> None:
    assert canonical(*given_name) == expected


def test_names_differ_when_datasets_do() -> None:
    names = [("s3://a", "x"), ("s3://A", "x"), ("gs://a", "x"), ("s3://a", "X"), ("s3://a", "x/y"), ("hdfs://a", "x")]
    assert len({canonical(*name) for name in names}) == len(names)


def test_an_empty_name_stays_empty() -> None:
    """So that it can be refused."""
    assert canonical("s3://bucket", "") == ("s3://bucket", "")


def test_brokers_are_those_of_kafka_only() -> None:
    assert brokers("kafka://a:9092,b:9092") == ("a:9092", "b:9092")
    assert brokers("kafka://a:9092") == ("a:9092",)
    assert brokers("postgres://a,b") == ()
    assert brokers("") == ()


def test_flinks_own_catalog_is_local_to_a_session() -> None:
    assert is_session_local("default_catalog.default_database.orders")
    assert not is_session_local("prod.default_database.orders")
    assert not is_session_local("orders")


pieces = st.sampled_from(
    ["s3a", "S3", "gs", "kafka", "KAFKA", "hdfs", "://", ":", "/", "//", ",", " ", "a", "b:9092", "\n"]
)
namespaces = st.one_of(st.lists(pieces, max_size=8).map("".join), st.text())
schemed = st.builds("{}://{}".format, st.sampled_from(["s3a", "S3", "gs", "kafka", "Kafka", "file"]), namespaces)


@examples(500)
@given(st.one_of(namespaces, schemed), namespaces)
@example("kafka://b/,a", "x")
def test_a_canonical_name_is_its_own(namespace: str, name: str) -> None:
    once = canonical(namespace, name)
    assert canonical(*once) == once


@examples(200)
@given(st.one_of(namespaces, schemed), namespaces.filter(bool))
def test_a_name_never_vanishes(namespace: str, name: str) -> None:
    assert canonical(namespace, name)[1] != ""


@examples(200)
@given(st.permutations(["a:9092", "b:9092", "c:9093"]), st.sampled_from([",", ", ", ",,"]))
def test_the_order_of_brokers_does_not_matter(order: list[str], comma: str) -> None:
    assert canonical(f"kafka://{comma.join(order)}", "t") == ("kafka://a:9092,b:9092,c:9093", "t")
