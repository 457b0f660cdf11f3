"""Rules for expressions with values inside: structs, arrays, maps, and casts between their types."""

from typing import Any

from headwater.spark.expression_rules import ExpressionScope, Rule, branches, values_of
from headwater.spark.tree import Node
from headwater.spark.values import Value, derived, struct


def create_struct(node: Node, scope: ExpressionScope) -> Value:
    names = [str(child.fields.get("value")) for child in node.children[::2]]
    return struct(dict(zip(names, values_of(node.children[1::2]), strict=True)))


def field_names(node: Node) -> list[str]:
    """The fields of a struct (or of an array's structs), where they are known."""
    kind = node.fields.get("dataType")
    while isinstance(kind, dict) and kind.get("type") == "array":
        kind = kind["elementType"]
    if isinstance(kind, dict) and kind.get("type") == "struct":
        return [field["name"] for field in kind["fields"]]
    return list(node.value.fields or ())


def struct_field(node: Node, scope: ExpressionScope) -> Value:
    child = node.children[0]
    field = node.fields.get("name") or node.fields.get("field")
    name = field.get("name") if isinstance(field, dict) else field
    if name is None:
        names, ordinal = field_names(child), node.fields["ordinal"]
        if ordinal >= len(names):
            return derived([child.value])
        name = names[ordinal]
    value: Value = child.value.pick(name)
    return value


def updated_struct(node: Node, scope: ExpressionScope) -> Value:
    """`withField` and `dropFields`"""
    first: Value = node.children[0].value
    names = field_names(node.children[0])
    if not first.has_inside() or not names:
        return derived(values_of(node.children))
    fields = {name: first.pick(name) for name in names}
    for change in node.children[1:]:
        if change.kind == "WithField":
            fields[change.name] = change.children[0].value
        else:
            fields.pop(change.name, None)
    return struct(fields)


def create_array(node: Node, scope: ExpressionScope) -> Value:
    value = branches(node.children)
    return Value(derived([value]).own, value.fields, value.open)


def element(node: Node, scope: ExpressionScope) -> Value:
    first: Value = node.children[0].value
    return Value(derived(values_of(node.children)).own, first.fields, first.open)


def create_map(node: Node, scope: ExpressionScope) -> Value:
    return struct({"key": branches(node.children[::2]), "value": branches(node.children[1::2])})


def looked_up(node: Node, scope: ExpressionScope) -> Value:
    """`map[key]`, `array[position]`"""
    first, by = node.children[0].value, node.children[1].value
    if first.fields is not None and first.fields.keys() == {"key", "value"}:
        return Value(derived([first.fields["value"], by]).own, first.fields["value"].fields)
    return Value(derived([first, by]).own, first.fields, first.open if node.kind != "GetMapValue" else None)


def map_part(name: str) -> Rule:
    def rule(node: Node, scope: ExpressionScope) -> Value:
        value: Value = node.children[0].value
        return derived([value.fields[name] if value.fields and name in value.fields else value])

    return rule


def cast(node: Node, scope: ExpressionScope) -> Value:
    child = node.children[0]
    return _as_type(child.value, _type_of(child), node.fields.get("dataType"), field_names(child))


def _type_of(node: Node) -> Any:
    """The type, where the plan has it; else None."""
    if node.kind == "CreateNamedStruct":
        types = [_type_of(child) for child in node.children[1::2]]
        return {
            "type": "struct",
            "fields": [{"name": n, "type": t} for n, t in zip(node.value.fields, types, strict=False)],
        }
    return _type_of(node.children[0]) if node.kind == "Alias" else node.fields.get("dataType")


def _as_type(value: Value, before: Any, after: Any, names: list[str]) -> Value:
    """Views and unions cast what has its type already, or a struct for one of its fields."""
    if before is not None and _is_same_type(before, after):
        return value
    own = derived([value]).own
    if isinstance(after, dict) and after.get("type") == "struct" and value.has_inside():
        fields = after["fields"]
        types = [f["type"] for f in before["fields"]] if isinstance(before, dict) and "fields" in before else []
        if len(names) == len(fields):
            inside = {
                f["name"]: _as_type(value.pick(old), types[i] if i < len(types) else None, f["type"], [])
                for i, (f, old) in enumerate(zip(fields, names, strict=True))
            }
            return Value(own, inside, encoded=value.encoded)
    return Value(own, encoded=value.encoded)


def _is_same_type(one: Any, other: Any) -> bool:
    if not isinstance(one, dict) or not isinstance(other, dict):
        return bool(one == other)
    if one.get("type") != other.get("type"):
        return False
    if one["type"] == "struct":
        pairs = list(zip(one["fields"], other["fields"], strict=False))
        return len(one["fields"]) == len(other["fields"]) and all(
            a["name"] == b["name"] and _is_same_type(a["type"], b["type"]) for a, b in pairs
        )
    parts = ("elementType", "keyType", "valueType")
    return all(_is_same_type(one.get(part), other.get(part)) for part in parts)
