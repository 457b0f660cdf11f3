"""Every record of the topic becomes an order or a dead letter with a reason; what is new to the query stops it."""

import json
import random
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import records
from pipeline.orders import UNKNOWN_SCHEMA_ID, Encoder, Flaw, Order, make_order
from pipeline.records import UNKNOWN_SCHEMA, KnownSchemas
from pipeline.schemas import ORDER_VERSIONS, header
from tests.pipeline import truth
from tests.support.examples import examples

SCHEMAS = {11: ORDER_VERSIONS[1], 12: ORDER_VERSIONS[2]}
KNOWN = KnownSchemas(SCHEMAS, frozenset({UNKNOWN_SCHEMA_ID}))
ENCODER = Encoder(1, 11)
NOW = 1_800_000_000_000
ORDER = Order("6b0e4f5c-0000-4000-8000-000000000001", "tea", "12.30", "Alice", NOW)

KAFKA = "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp"


def topic(spark: Any, *values: bytes | None) -> Any:
    rows = [(b"k%d" % n, value, "orders", 1, n, datetime(2026, 11, 15)) for n, value in enumerate(values)]
    return spark.createDataFrame(rows, KAFKA)


def reasons(spark: Any, *values: bytes | None, known: KnownSchemas = KNOWN) -> list[str | None]:
    rows = records.decode(topic(spark, *values), known).orderBy("offset").select("reason").collect()
    return [row.reason for row in rows]


def test_every_flaw_has_its_reason(spark: Any) -> None:
    flawed = [ENCODER.encode_flawed(flaw, ORDER) for flaw in (Flaw.AVRO, Flaw.SCHEMA, Flaw.NULL, Flaw.PRICE)]
    assert reasons(spark, ENCODER.encode(ORDER), *flawed) == [
        None,
        "bad Avro for schema id 11",
        f"unknown schema id {UNKNOWN_SCHEMA_ID}",
        "null value",
        "price is not a number: a lot",
    ]


def test_what_the_registrys_clients_did_not_write_is_bad_avro(spark: Any) -> None:
    values = [b"", b"\0", b"{}", b'{"order_id": 1}', b"\1\0\0\0\x0bxyz"]
    assert set(reasons(spark, *values)) == {"bad Avro: not in the format of the registry's clients"}


def test_an_order_that_was_cut_off_is_bad_avro(spark: Any) -> None:
    whole = ENCODER.encode(ORDER)
    assert set(reasons(spark, *(whole[:length] for length in range(5, len(whole))))) == {"bad Avro for schema id 11"}


def test_a_price_must_be_a_number_that_fits(spark: Any) -> None:
    prices = ["", "NaN", "Infinity", "1,50", "12e", "123456789.00", "0x10"]
    values = [ENCODER.encode(ORDER._replace(price=price)) for price in prices]
    assert reasons(spark, *values) == [f"price is not a number: {price}" for price in prices]


def test_good_orders_have_a_decimal_price(spark: Any) -> None:
    decoded = records.decode(topic(spark, ENCODER.encode(ORDER), None), KNOWN)
    orders = records.orders(decoded)
    assert orders.schema.simpleString() == (
        "struct<order_id:string,item:string,price:decimal(10,2),supplier:string,bid_time:timestamp>"
    )
    (row,) = orders.collect()
    assert (row.order_id, row.item, row.price, row.supplier) == (ORDER.order_id, "tea", Decimal("12.30"), "Alice")
    assert truth.millis(row.bid_time) == NOW


def test_versions_of_the_schema_lie_side_by_side_and_old_orders_have_the_default(spark: Any) -> None:
    old, new = ENCODER.encode(ORDER), Encoder(2, 12).encode(ORDER)
    decoded = records.decode(topic(spark, old, new, old), KNOWN)
    rows = decoded.orderBy("offset").select("order.order_id", "order.currency", "reason").collect()
    assert [tuple(row) for row in rows] == [(ORDER.order_id, "EUR", None)] * 3


def test_dead_letters_keep_key_and_value_and_say_where_they_were(spark: Any) -> None:
    bad = ENCODER.encode_flawed(Flaw.AVRO, ORDER)
    decoded = records.decode(topic(spark, ENCODER.encode(ORDER), bad, None), KNOWN)
    rows = records.dead_letters(decoded).collect()
    assert [(row.key, row.value, {h.key: bytes(h.value) for h in row.headers}) for row in rows] == [
        (b"k1", bad, {"reason": b"bad Avro for schema id 11", "source": b"orders/1/1"}),
        (b"k2", None, {"reason": b"null value", "source": b"orders/1/2"}),
    ]


@pytest.mark.parametrize("output", [records.orders, records.dead_letters])
def test_a_schema_id_that_is_new_stops_the_query_and_is_named(spark: Any, output: Any) -> None:
    unheard = topic(spark, ENCODER.encode(ORDER), header(13) + b"whatever", header(14))
    with pytest.raises(Exception, match=f"{UNKNOWN_SCHEMA}1[34]"):
        output(records.counted(records.decode(unheard, KNOWN))).collect()
    assert {row.id for row in records.unknown_ids(unheard, KNOWN).collect()} == {13, 14}


def test_read_and_malformed_records_are_counted(spark: Any) -> None:
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    decoded = records.decode(topic(spark, ENCODER.encode(ORDER), None, ENCODER.encode(ORDER)), KNOWN)
    observation = Observation(records.OBSERVED)
    decoded.observe(observation, *records.counts()).where(F.col("reason").isNull()).collect()
    assert observation.get == {"read": 3, "malformed": 1}


@examples(5)
@given(st.lists(st.binary(max_size=80), min_size=1, max_size=60), st.integers(0, 2**32))
def test_no_bytes_whatever_stop_a_query_that_knows_their_schema(spark: Any, rubbish: list[bytes], seed: int) -> None:
    rng = random.Random(seed)
    values = [header(rng.choice([*SCHEMAS, UNKNOWN_SCHEMA_ID])) + each for each in rubbish]
    values += [ENCODER.encode(make_order(rng, NOW)) for _ in range(5)]
    decoded = records.decode(topic(spark, *values), KNOWN)
    good, bad = records.orders(decoded).count(), records.dead_letters(decoded).count()
    assert good + bad == len(values)
    assert good >= 5


def test_a_field_that_jobs_need_and_the_newest_schema_lacks_is_named(spark: Any) -> None:
    without = json.loads(ORDER_VERSIONS[2])
    without["fields"] = [field for field in without["fields"] if field["name"] != "price"]
    with pytest.raises(Exception, match="price"):
        records.decode(topic(spark), KnownSchemas({**SCHEMAS, 13: json.dumps(without)}))
