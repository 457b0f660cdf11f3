"""Orders as a shop would make them, good ones and bad ones of every kind. Pure: time and chance come in."""

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

BEHIND = 5_000
"""Milliseconds that a bid may lie in the past."""
LATE = 3_600_000
"""Milliseconds that a late one does: far behind any watermark."""

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


def make_order(chance: random.Random, now: int, *, late: bool = False) -> Order:
    """`now` in milliseconds."""
    cents = chance.randint(100, 15_000)
    behind = LATE if late else 0
    return Order(
        order_id=str(uuid.UUID(int=chance.getrandbits(128), version=4)),
        item=chance.choice(ITEMS),
        price=f"{cents // 100}.{cents % 100:02d}",
        supplier=chance.choice(SUPPLIERS),
        bid_time=now - behind - chance.randint(0, BEHIND),
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

    def spoilt(self, flaw: Flaw, order: Order) -> bytes | None:
        match flaw:
            case Flaw.AVRO:
                return self._header + b"\xff" * 12  # the length of a string that cannot be
            case Flaw.SCHEMA:
                return header(UNKNOWN_SCHEMA_ID) + self.encode(order)[5:]
            case Flaw.NULL:
                return None
            case Flaw.PRICE:
                return self.encode(order._replace(price="a lot"))


class Made(NamedTuple):
    key: bytes
    value: bytes | None
    flaw: Flaw | None
    late: bool


def make(
    encoder: Encoder, chance: random.Random, now: Callable[[], int], malformed: float, late: float
) -> Iterator[Made]:
    """Without end. `malformed` and `late` are shares of one; flaws come in turn."""
    flaws = list(Flaw)
    turn = 0
    while True:
        what = chance.random()
        if what < malformed:
            order, flaw = make_order(chance, now()), flaws[turn % len(flaws)]
            turn += 1
            yield Made(order.order_id.encode(), encoder.spoilt(flaw, order), flaw, False)
        else:
            is_late = what < malformed + late
            order = make_order(chance, now(), late=is_late)
            yield Made(order.order_id.encode(), encoder.encode(order), None, is_late)
