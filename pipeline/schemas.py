"""The topics: their names, and their records' Avro schemas."""

import json
from typing import Any

ORDERS, SUPPLIER_STATS, DEAD_LETTERS = "orders", "supplier-stats", "orders-dead-letters"

ORDERS_SUBJECT, SUPPLIER_STATS_SUBJECT = f"{ORDERS}-value", f"{SUPPLIER_STATS}-value"

_TIME = {"type": "long", "logicalType": "timestamp-millis"}

# The price is text, as the shop writes it: readers have to check that it is a number.
_ORDER_FIELDS: list[dict[str, Any]] = [
    {"name": "order_id", "type": "string"},
    {"name": "item", "type": "string"},
    {"name": "price", "type": "string"},
    {"name": "supplier", "type": "string"},
    {"name": "bid_time", "type": _TIME},
]

_CURRENCY = {"name": "currency", "type": "string", "default": "EUR"}


def _record(name: str, fields: list[dict[str, Any]]) -> str:
    return json.dumps({"type": "record", "name": name, "namespace": "orders", "fields": fields})


ORDER_VERSIONS = {1: _record("Order", _ORDER_FIELDS), 2: _record("Order", [*_ORDER_FIELDS, _CURRENCY])}
"""The first version of an order, and one with another field, which older readers ignore."""

# Money in decimals: a sum does not depend on the order of its parts, so it is exact to the cent in whatever batches it
# is computed. Spark gives 20 digits to a sum of DECIMAL(10,2).
STATS = _record(
    "SupplierStats",
    [
        {"name": "window_start", "type": _TIME},
        {"name": "window_end", "type": _TIME},
        {"name": "supplier", "type": "string"},
        {"name": "total_price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 2}},
        {"name": "count", "type": "long"},
    ],
)


def header(schema_id: int) -> bytes:
    """The five bytes in front of a record by which clients find its schema."""
    return b"\0" + schema_id.to_bytes(4, "big")
