"""Structs inside bytes or text: which fields a decoding function finds."""

import json
from typing import Any

from headwater.spark.kinds import IDENTITY
from headwater.spark.tree import Node
from headwater.spark.values import Deps, Source, Value, derived


def columns_of(topics: list[Source], node: Node) -> Value:
    """A record's fields as columns of its topics. Fields that a newer schema adds are found by name."""
    opened: Deps = dict.fromkeys(topics, IDENTITY)
    inside: dict[str, Value] = {}
    for name in field_names(node):
        sources: Deps = {topic.at(name): IDENTITY for topic in topics}
        inside[name] = Value(sources, open=sources)
    whole = derived(inside.values()).own if inside else derived([Value(opened)]).own
    return Value(whole, inside or None, opened)


def field_names(node: Node) -> list[str]:
    return list(fields_of(node))


def fields_of(node: Node) -> dict[str, str]:
    """The fields that `from_avro`, `from_json` and the like give, or that `to_avro` writes, with their types."""
    if "Avro" in node.kind:
        texts = [child.fields.get("value") for child in _literals(node)] + [node.fields.get("jsonFormatSchema")]
        # The reader's schema is among the options, after the writer's, and says what comes out.
        for text in reversed(texts):
            if fields := _avro_fields(text):
                return fields
        return {}
    schema = node.fields.get("schema") or node.fields.get("dataType")
    while isinstance(schema, dict) and schema.get("type") == "array":
        schema = schema["elementType"]
    return {f["name"]: _type(f["type"]) for f in schema.get("fields", ())} if isinstance(schema, dict) else {}


def _type(kind: Any) -> str:
    return str(kind.get("type")) if isinstance(kind, dict) else str(kind)


def _literals(node: Node) -> list[Node]:
    found: list[Node] = []
    waiting = node.children[:0:-1]
    while waiting:
        child = waiting.pop()
        if child.kind == "Literal":
            found.append(child)
        waiting += reversed(child.children)
    return found


def _avro_fields(text: Any) -> dict[str, str]:
    if not isinstance(text, str) or '"record"' not in text:
        return {}
    try:
        schema = json.loads(text)
    except ValueError:
        return {}
    return {f["name"]: _avro_type(f["type"]) for f in schema.get("fields", ())} if isinstance(schema, dict) else {}


def _avro_type(kind: Any) -> str:
    if isinstance(kind, list):
        return "|".join(t for t in map(_avro_type, kind) if t != "null")
    if isinstance(kind, dict):
        return str(kind.get("logicalType") or _avro_type(kind.get("type")))
    return str(kind)
