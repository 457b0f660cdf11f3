"""What is special about Debezium's sources: the change record, and columns that are masked or cut on the way."""

import re
from collections.abc import Mapping

from headwater.watch.connect import java
from headwater.watch.connect.columns import InputField
from headwater.watch.connect.values import CHANGED, MASKED, Origin, Part, Row, Struct, Transformation, Value
from headwater.watch.fields import Field

_MASKS = re.compile(r"column\.mask\.(hash\..+|with\..+\.chars)")
_CUTS = re.compile(r"column\.truncate\.to\..+\.chars")


def envelope() -> Value:
    """`before` and `after` are rows of the table; the rest describes the change."""
    fields: dict[str, Value] = {name: Row(Origin("value", (name,))) for name in ("before", "after")}
    for name in ("source", "transaction"):
        fields[name] = Part(Origin("value", (name,)))
    for name, kind in (("op", "string"), ("ts_ms", "int64"), ("ts_us", "int64"), ("ts_ns", "int64")):
        fields[name] = Part(Origin("value", (name,)), Field(name, kind))
    return Struct(fields)


def is_envelope(value: Value) -> bool:
    return {"before", "after", "op"} <= set(value.names() or ())


def unwrapped(value: Value) -> Value:
    """The row in a change record; anything else as it is."""
    return (value.get("after") or value) if is_envelope(value) else value


def masked(
    columns: Mapping[str, list[InputField]], options: Mapping[str, str], scope: Mapping[str, str]
) -> dict[str, list[InputField]]:
    """The options name columns in full (`schema.table.column`), by regular expressions."""
    transformations = [
        (java.listed(text), transformation)
        for option, text in options.items()
        if (transformation := _transformation(option)) is not None
    ]
    if not transformations:
        return dict(columns)
    table = scope.get("table", "")

    def changed(origin: InputField) -> InputField:
        for expressions, transformation in transformations:
            for expression in expressions:
                regex = java.pattern(expression)
                if regex is not None and regex.fullmatch(f"{table}.{origin.field}"):
                    origin = origin._replace(transformation=origin.transformation.then(transformation))
        return origin

    return {name: [changed(origin) for origin in origins] for name, origins in columns.items()}


def _transformation(option: str) -> Transformation | None:
    if _MASKS.fullmatch(option):
        return MASKED
    return CHANGED if _CUTS.fullmatch(option) else None
