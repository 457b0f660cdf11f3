"""Rules for structs inside bytes or text: `from_avro`, `to_json` and the like."""

import json
from typing import Any

from headwater.spark.expression_rules import ExpressionScope, values_of
from headwater.spark.kinds import IDENTITY, INDIRECT
from headwater.spark.tree import Node
from headwater.spark.values import Deps, Source, Value, derived


def decoded(node: Node, scope: ExpressionScope) -> Value:
    value: Value = node.children[0].value
    indirect = {origin: kinds & INDIRECT for origin, kinds in value.own.items() if kinds & INDIRECT}
    direct = [origin for origin in value.own if origin not in indirect or value.own[origin] != indirect[origin]]
    topics = [o for o in direct if isinstance(o, Source) and o.field in ("key", "value") and scope.is_topic(o)]
    if value.encoded is not None:
        return value.encoded
    if topics and len(topics) == len(direct):
        # The fields of the record are the topic's columns; decoding does not change them.
        for origin in topics:
            if origin.field == "value":
                scope.add_decoded(origin, _fields_of(node))
        bare = [origin._replace(field="" if origin.field == "value" else "key") for origin in topics]
        return _columns_of(bare, node).with_indirect(indirect)
    inside = _field_names(node)
    whole = derived([value])
    return Value(whole.own, dict.fromkeys(inside, whole) if inside else None)


def encoded(node: Node, scope: ExpressionScope) -> Value:
    value: Value = node.children[0].value
    scope.add_encoded(_fields_of(node))
    return Value(derived([value]).own, encoded=value if value.has_inside() else None)


def concatenated(node: Node, scope: ExpressionScope) -> Value:
    """A header before encoded bytes does not hide what is in them."""
    structs = [child.value.encoded for child in node.children if child.value.encoded is not None]
    others = [child for child in node.children if child.value.encoded is None and child.value.own]
    return Value(
        derived(values_of(node.children)).own, encoded=structs[0] if len(structs) == 1 and not others else None
    )


def _columns_of(topics: list[Source], node: Node) -> Value:
    """A record's fields as columns of its topics. Fields that a newer schema adds are found by name."""
    opened: Deps = dict.fromkeys(topics, IDENTITY)
    inside: dict[str, Value] = {}
    for name in _field_names(node):
        sources: Deps = {topic.at(name): IDENTITY for topic in topics}
        inside[name] = Value(sources, open=sources)
    whole = derived(inside.values()).own if inside else derived([Value(opened)]).own
    return Value(whole, inside or None, opened)


def _field_names(node: Node) -> list[str]:
    return list(_fields_of(node))


def _fields_of(node: Node) -> dict[str, str]:
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
    literals: list[Node] = []
    waiting = node.children[:0:-1]
    while waiting:
        child = waiting.pop()
        if child.kind == "Literal":
            literals.append(child)
        waiting += reversed(child.children)
    return literals


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
