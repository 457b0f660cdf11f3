"""What must come out, computed without Spark."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from io import BytesIO
from typing import Any, NamedTuple

from fastavro import parse_schema, schemaless_reader

from pipeline.schemas import ORDER_VERSIONS

WINDOW = 5000  # milliseconds


class Bid(NamedTuple):
    order_id: str
    item: str
    price: Decimal
    supplier: str
    bid_time: int  # milliseconds


def bid(value: bytes | None, schemas: Mapping[int, str]) -> Bid | None:
    """A good order, or None."""
    if value is None or len(value) < 5 or value[0] != 0:
        return None
    schema = schemas.get(int.from_bytes(value[1:5], "big"))
    if schema is None:
        return None
    try:
        order: Any = schemaless_reader(BytesIO(value[5:]), parse_schema(json.loads(schema)), None)
        price = Decimal(order["price"])
    except (EOFError, ValueError, IndexError, InvalidOperation):
        return None
    moment: datetime = order["bid_time"]
    return Bid(order["order_id"], order["item"], price, order["supplier"], round(moment.timestamp() * 1000))


Stats = dict[tuple[int, str], tuple[Decimal, int]]
"""Total price and count, by start of the window in milliseconds (or of the hour) and supplier."""


def windows(bids: Iterable[Bid], length: int = WINDOW) -> Stats:
    totals: dict[tuple[int, str], Decimal] = defaultdict(Decimal)
    counts: Counter[tuple[int, str]] = Counter()
    for each in bids:
        key = (each.bid_time - each.bid_time % length, each.supplier)
        totals[key] += each.price
        counts[key] += 1
    return {key: (totals[key], counts[key]) for key in counts}


def millis(moment: datetime) -> int:
    """Of what Spark gives, which is in the local time of this process when it has no zone."""
    return round(moment.timestamp() * 1000)


def moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def evolved(field: str) -> str:
    """A version of the order's schema that nobody has registered yet."""
    schema = json.loads(ORDER_VERSIONS[2])
    schema["fields"].append({"name": field, "type": "string", "default": ""})
    return json.dumps(schema)
