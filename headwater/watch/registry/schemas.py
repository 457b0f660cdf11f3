"""Fields from the texts of a schema registry: Avro, JSON Schema, Protobuf."""

import json
from collections.abc import Iterable
from typing import Any

from headwater.watch.fields import Field
from headwater.watch.registry import protobuf

# A schema may contain itself.
_DEPTH = 12


def parse(kind: str, text: str, references: Iterable[str] = ()) -> Field | None:
    """The schema as one field without a name; None if it cannot be parsed. `references`: the texts of schemas that it
    refers to."""
    try:
        if kind == "AVRO":
            known: dict[str, Any] = {}
            for reference in references:
                _learn(json.loads(reference), "", known)
            schema = json.loads(text)
            _learn(schema, "", known)
            return _avro("", schema, known, "", _DEPTH)
        if kind == "JSON":
            schema = json.loads(text)
            return _json("", schema, schema, _DEPTH)
        if kind == "PROTOBUF":
            return protobuf.parse(text)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return None


# Avro


def _learn(schema: Any, space: str, known: dict[str, Any]) -> None:
    """Named types, by their full and their short names."""
    if isinstance(schema, list):
        for part in schema:
            _learn(part, space, known)
    elif isinstance(schema, dict):
        if schema.get("type") in ("record", "error", "enum", "fixed") and "name" in schema:
            name, space = schema["name"], schema.get("namespace", space)
            full = name if "." in name or not space else f"{space}.{name}"
            known[full] = schema
            known.setdefault(full.rpartition(".")[2], schema)
        for part in schema.get("fields", ()):
            _learn(part.get("type"), space, known)
        for part in ("items", "values", "type"):
            if isinstance(schema.get(part), (dict, list)):
                _learn(schema[part], space, known)


def _avro(name: str, schema: Any, known: dict[str, Any], space: str, depth: int) -> Field:
    if isinstance(schema, list):
        kinds = [part for part in schema if part != "null"]
        if len(kinds) == 1:
            return _avro(name, kinds[0], known, space, depth)
        return Field(name, "union" if kinds else "null")
    if isinstance(schema, str):
        named = known.get(schema) or known.get(f"{space}.{schema}")
        if named is None or not depth:
            return Field(name, schema)
        return _avro(name, named, known, space, depth - 1)
    kind = schema["type"]
    if isinstance(kind, (dict, list)):
        return _avro(name, kind, known, space, depth)
    if kind in ("record", "error"):
        space = schema.get("namespace", space)
        if not depth:
            return Field(name, schema["name"])
        return Field(
            name, "struct", tuple(_avro(f["name"], f["type"], known, space, depth - 1) for f in schema["fields"])
        )
    if kind == "array":
        return Field(name, "array", (_avro("_element", schema["items"], known, space, depth - 1),) if depth else ())
    if kind == "map":
        inside = (Field("key", "string"), _avro("value", schema["values"], known, space, depth - 1)) if depth else ()
        return Field(name, "map", inside)
    if kind in ("enum", "fixed") and "logicalType" not in schema:
        return Field(name, "string" if kind == "enum" else "bytes")
    logical = schema.get("logicalType")
    if logical == "decimal":
        return Field(name, f"decimal({schema.get('precision')},{schema.get('scale', 0)})")
    return Field(name, logical) if logical else _avro(name, kind, known, space, depth)


# JSON Schema


def _json(name: str, schema: Any, root: Any, depth: int) -> Field:
    schema = _resolved(schema, root)
    if not isinstance(schema, dict) or not depth:
        return Field(name, "any")
    for way in ("oneOf", "anyOf", "allOf"):
        if way in schema and "properties" not in schema:
            kinds = [part for part in schema[way] if _resolved(part, root).get("type") != "null"]
            if len(kinds) == 1:
                return _json(name, kinds[0], root, depth)
            parts = [_json(name, part, root, depth - 1) for part in kinds]
            if way == "allOf" and all(part.type == "struct" for part in parts):
                return Field(name, "struct", tuple(f for part in parts for f in part.fields))
            return Field(name, "union")
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = [one for one in kind if one != "null"]
        kind = kinds[0] if len(kinds) == 1 else "union"
    if "properties" in schema:
        fields = tuple(_json(n, s, root, depth - 1) for n, s in schema["properties"].items())
        return Field(name, "struct", fields)
    if kind == "array":
        return Field(name, "array", (_json("_element", schema.get("items", {}), root, depth - 1),))
    if kind == "object":
        return Field(name, "map")
    return Field(name, str(schema.get("connect.type") or schema.get("format") or kind or "any"))


def _resolved(schema: Any, root: Any) -> Any:
    """`$ref` into the same document; others stay unknown."""
    for _ in range(_DEPTH):
        if not isinstance(schema, dict) or not str(schema.get("$ref", "")).startswith("#/"):
            return schema
        target = root
        for part in schema["$ref"][2:].split("/"):
            target = target.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
        schema = target
    return schema
