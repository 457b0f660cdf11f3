"""Orders as a shop would make them, good ones and bad ones of every kind. Pure: time and randomness are arguments."""

import json
import random
import uuid
from collections.abc import Callable, Iterator
from enum import StrEnum
from io import BytesIO
from typing import NamedTuple

from fastavro import parse_schema, schemaless_writer
from fastavro.types import Schema

from pipeline.schemas import ORDER_VERSIONS, header

SUPPLIERS = ("Alice", "Bob", "Carol", "Alex", "Joe", "James", "Jane", "Jack")
ITEMS = ("apples", "bread", "candles", "chairs", "coffee", "kettles", "lamps", "pens", "shoes", "soap", "tea", "wool")

MAX_BID_AGE = 5_000
"""Milliseconds that a bid may be old."""
LATE = 3_600_000
"""Milliseconds that a late bid is older: far behind any watermark."""

# Registries count from 1 upwards: none will ever get here.
UNKNOWN_SCHEMA_ID = 0x7FFF_FFF0


class Flaw(StrEnum):
    AVRO = "bad Avro"
    SCHEMA = "unknown schema id"
    NULL = "null value"
    PRICE = "price not a number"


class Order(NamedTuple):
    order_id: str
    item: str
    price: str
    supplier: str
    bid_time: int


def make_order(rng: random.Random, now: int, *, late: bool = False) -> Order:
    """`now` in milliseconds."""
    cents = rng.randint(100, 15_000)
    lateness = LATE if late else 0
    return Order(
        order_id=str(uuid.UUID(int=rng.getrandbits(128), version=4)),
        item=rng.choice(ITEMS),
        price=f"{cents // 100}.{cents % 100:02d}",
        supplier=rng.choice(SUPPLIERS),
        bid_time=now - lateness - rng.randint(0, MAX_BID_AGE),
    )


class Encoder:
    """Orders of one version of the schema, as the registry's clients write them."""

    def __init__(self, version: int, schema_id: int) -> None:
        self._schema: Schema = parse_schema(json.loads(ORDER_VERSIONS[version]))
        self._header = header(schema_id)

    def encode(self, order: Order) -> bytes:
        out = BytesIO()
        out.write(self._header)
        schemaless_writer(out, self._schema, order._asdict())
        return out.getvalue()

    def encode_flawed(self, flaw: Flaw, order: Order) -> bytes | None:
        match flaw:
            case Flaw.AVRO:
                return self._header + b"\xff" * 12  # the length of a string that cannot be
            case Flaw.SCHEMA:
                return header(UNKNOWN_SCHEMA_ID) + self.encode(order)[5:]
            case Flaw.NULL:
                return None
            case Flaw.PRICE:
                return self.encode(order._replace(price="a lot"))


class OrderRecord(NamedTuple):
    key: bytes
    value: bytes | None
    flaw: Flaw | None
    late: bool


def make(
    encoder: Encoder, rng: random.Random, now: Callable[[], int], malformed: float, late: float
) -> Iterator[OrderRecord]:
    """Without end. `malformed` and `late` are shares of one; flaws come in turn."""
    flaws = list(Flaw)
    turn = 0
    while True:
        share = rng.random()
        if share < malformed:
            order, flaw = make_order(rng, now()), flaws[turn % len(flaws)]
            turn += 1
            yield OrderRecord(order.order_id.encode(), encoder.encode_flawed(flaw, order), flaw, False)
        else:
            is_late = share < malformed + late
            order = make_order(rng, now(), late=is_late)
            yield OrderRecord(order.order_id.encode(), encoder.encode(order), None, is_late)
