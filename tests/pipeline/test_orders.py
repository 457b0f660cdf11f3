"""Orders are as the schema and the shop say, malformed ones are malformed, and they come at the requested rate."""

import itertools
import json
import random
import re
from collections import Counter
from io import BytesIO

import pytest
from fastavro import parse_schema, schemaless_reader

from pipeline.orders import (
    LATE,
    MAX_BID_AGE,
    SUPPLIERS,
    UNKNOWN_SCHEMA_ID,
    Encoder,
    Flaw,
    OrderRecord,
    make,
    make_order,
)
from pipeline.produce import TICK, due
from pipeline.schemas import ORDER_VERSIONS, header

NOW = 1_800_000_000_000


def read(value: bytes, version: int) -> dict[str, object]:
    content = schemaless_reader(BytesIO(value[5:]), parse_schema(json.loads(ORDER_VERSIONS[version])), None)
    assert isinstance(content, dict)
    return content


def made(count: int, malformed: float = 0, late: float = 0) -> list[OrderRecord]:
    orders = make(Encoder(1, 7), random.Random(5), lambda: NOW, malformed, late)
    return list(itertools.islice(orders, count))


def test_an_order_is_what_a_shop_would_make() -> None:
    rng = random.Random(1)
    orders = [make_order(rng, NOW) for _ in range(2000)]
    assert {order.supplier for order in orders} == set(SUPPLIERS)
    assert len({order.order_id for order in orders}) == len(orders)
    for order in orders:
        assert re.fullmatch(r"\d{1,3}\.\d\d", order.price)
        assert 1 <= float(order.price) <= 150
        assert NOW - MAX_BID_AGE <= order.bid_time <= NOW
        assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", order.order_id)


@pytest.mark.parametrize("version", ORDER_VERSIONS)
def test_a_record_has_the_registrys_header_and_all_fields(version: int) -> None:
    order = make_order(random.Random(2), NOW)
    value = Encoder(version, 7).encode(order)
    assert value[:5] == header(7) == b"\0\0\0\0\7"
    content = read(value, version)
    assert (content["order_id"], content["price"], content["supplier"]) == (order.order_id, order.price, order.supplier)
    assert content.get("currency") == (None if version == 1 else "EUR")


def test_flaws_come_in_turn_and_each_is_what_it_says() -> None:
    flawed = [order for order in made(4000, malformed=0.1) if order.flaw]
    assert len(flawed) == pytest.approx(400, rel=0.3)
    assert [order.flaw for order in flawed[:5]] == [*Flaw, Flaw.AVRO]
    by_flaw = {order.flaw: order.value for order in flawed}
    assert by_flaw[Flaw.NULL] is None
    bad, unknown, price = (by_flaw[flaw] or b"" for flaw in (Flaw.AVRO, Flaw.SCHEMA, Flaw.PRICE))
    assert bad.startswith(header(7))
    with pytest.raises((EOFError, ValueError, IndexError)):
        read(bad, 1)
    assert unknown.startswith(header(UNKNOWN_SCHEMA_ID))
    assert read(price, 1)["price"] == "a lot"


def test_late_orders_are_far_behind() -> None:
    late = [order for order in made(2000, malformed=0.1, late=0.2) if order.late]
    assert len(late) == pytest.approx(400, rel=0.3)
    for order in late:
        bid_time = read(order.value or b"", 1)["bid_time"]
        assert bid_time.timestamp() * 1000 <= NOW - LATE  # type: ignore[attr-defined]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize("rate", [0.5, 3, 100, 20_000])
def test_the_rate_is_kept_on_the_average(rate: float) -> None:
    clock = Clock()
    turns = itertools.takewhile(lambda _: clock.now <= 60, due(rate, clock, clock.pause))
    assert sum(turns) == pytest.approx(rate * 60, abs=rate * TICK + 1)


def test_after_a_pause_there_is_no_flood() -> None:
    clock = Clock()
    turns = due(100, clock, clock.pause)
    next(turns)
    clock.now = 3600
    counts = Counter(next(turns) for _ in range(50))
    assert max(counts) == 100
    assert counts[100] == 1
