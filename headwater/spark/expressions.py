"""What an expression of a plan is made of.

An expression is read from its leaves upwards, without recursion. What has no rule of its own is a
transformation of all its arguments, so a function that nobody here knows is still told truly.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from headwater.spark import encoding
from headwater.spark.kinds import (
    AGGREGATION,
    CONDITIONAL,
    INDIRECT,
    MASKED,
    SORT,
    TRANSFORMATION,
    WINDOW,
)
from headwater.spark.lambdas import COMMON, LAMBDAS, higher_order, with_common
from headwater.spark.tree import Listed, Node, nodes, parse
from headwater.spark.values import NOTHING, Deps, Source, Value, Variable, derived, either, struct, used


class Around(Protocol):
    """What an expression can refer to."""

    def column(self, node: Node) -> Value: ...
    def outer(self, node: Node) -> Value: ...
    def is_topic(self, source: Source) -> bool: ...
    def decoded(self, topic: Source, fields: dict[str, str]) -> None:
        """The records of a topic have these fields, with their types."""

    def encoded(self, fields: dict[str, str]) -> None:
        """Records with these fields are made."""

    def query(self, plan: Listed) -> "tuple[list[Value], Deps]":
        """The columns of a subquery, and what its rows depend on."""


# They give their argument as it is.
_SAME = {
    "Alias", "KnownNullable", "KnownNotNull", "KnownNotContainsNull", "KnownFloatingPointNormalized",
    "NormalizeNaNAndZero", "TempResolvedColumn", "AssertNotNull", "CommonExpressionDef", "PipeExpression",
}  # fmt: skip
# A number for any value that the same text gives, but from which the text cannot be told.
_MASKING = {
    "Mask", "Sha1", "Sha2", "Md5", "Crc32", "Murmur3Hash", "XxHash64", "HiveHash", "CollationAwareMurmur3Hash",
    "CollationAwareXxHash64", "AesEncrypt", "TryAesEncrypt",
}  # fmt: skip
_MASKING_NAME = re.compile(
    r"mask|redact|anonymi[sz]e|pseudonymi[sz]e|tokeni[sz]e|encrypt|obfuscate|(^|_)hash(_|$)", re.I
)
_UDFS = {"PythonUDF", "PythonUDAF", "ScalaUDF", "HiveSimpleUDF", "HiveGenericUDF", "ScalaAggregator", "ScalaUDAF"}
# The order of rows decides these, which is told by the window; their arguments are the order once more.
_RANKS = {"Rank", "DenseRank", "PercentRank"}
# Aggregates that give one of the values, or all of them, as they are: what is inside stays inside.
_KEEPING = {"First", "Last", "AnyValue", "Max", "Min", "Mode", "CollectList", "CollectSet", "NthValue", "Lag", "Lead"}
_ELEMENT = {
    "GetArrayItem",
    "Explode",
    "ArrayDistinct",
    "Flatten",
    "Reverse",
    "Slice",
    "Shuffle",
    "SortArray",
    "TryElementAt",
}


def evaluate(listed: Listed, around: Around) -> Node:
    """The expression, with the values of all its parts filled in."""
    made = nodes(listed)
    for node in reversed(made):
        rule = _RULES.get(node.kind, _transformation)
        node.value = rule(node, around)
    return made[0]


def value_of(listed: Listed, around: Around) -> Value:
    value: Value = evaluate(listed, around).value
    return value


def _values(found: list[Node]) -> list[Value]:
    return [node.value for node in found]


def _transformation(node: Node, around: Around) -> Value:
    if "plan" in node.fields:
        return _subquery(node, around)
    # `nvl`, `nullif` and many others stand for an expression, which is their only child.
    stands_for = len(node.children) == 1 and node.fields.get("replacement") == 0
    value = node.children[0].value if stands_for else derived(_values(node.children))
    return derived([value], TRANSFORMATION << MASKED) if _hides(node) else value


def _hides(node: Node) -> bool:
    if node.kind in _UDFS:
        return bool(_MASKING_NAME.search(str(node.fields.get("name") or node.fields.get("udfName") or "")))
    return node.kind in _MASKING


def _same(node: Node, around: Around) -> Value:
    value: Value = node.children[0].value
    return value


def _nothing(node: Node, around: Around) -> Value:
    return NOTHING


def is_null(node: Node) -> bool:
    while node.kind == "Cast":
        node = node.children[0]
    return node.kind == "TypedNullLiteral" or (node.kind == "Literal" and node.fields.get("value") is None)


def branches(chosen: list[Node]) -> Value:
    """One of these; NULL says nothing about where a value comes from."""
    filled = [node for node in chosen if not is_null(node)]
    values = [node.value for node in filled if node.value.own or node.value.has_inside()]
    return either(values, constant=len(values) < len(filled))


# Conditions


def _case(node: Node, around: Around) -> Value:
    children = node.children
    conditions = children[:-1:2]
    chosen = children[1::2] + (children[-1:] if len(children) % 2 else [])
    # `window()` looks for the start of a window by a CASE of its own, which nobody wrote.
    if any(condition.has("PreciseTimestampConversion") for condition in conditions):
        return branches(chosen)
    return branches(chosen).with_indirect(used(_values(conditions), CONDITIONAL))


def _if(node: Node, around: Around) -> Value:
    condition, *chosen = node.children
    return branches(chosen).with_indirect(used([condition.value], CONDITIONAL))


def _coalesce(node: Node, around: Around) -> Value:
    return branches(node.children)


# Aggregates and windows


def _aggregate(node: Node, around: Around) -> Value:
    """`function FILTER (WHERE …)`"""
    function, *condition = node.children
    value: Value = function.value.after(AGGREGATION << MASKED if function.kind == "Count" else AGGREGATION)
    return value.with_indirect(used(_values(condition), CONDITIONAL))


def _keeping(node: Node, around: Around) -> Value:
    first: Value = node.children[0].value
    value = first.after(TRANSFORMATION)
    return Value(derived(_values(node.children)).own, value.fields, value.open, value.encoded)


def _by_another(node: Node, around: Around) -> Value:
    """`max_by(value, by)`: the second says which of the first."""
    value, by = _values(node.children)[:2]
    return value.after(TRANSFORMATION).with_indirect(used([by], CONDITIONAL))


def _pivot(node: Node, around: Around) -> Value:
    by, value = _values(node.children)[:2]
    return value.after(TRANSFORMATION).with_indirect(used([by], CONDITIONAL))


def _listed(node: Node, around: Around) -> Value:
    orders = [child for child in node.children if child.kind == "SortOrder"]
    rest = [child for child in node.children if child.kind != "SortOrder"]
    return derived(_values(rest)).with_indirect(used(_values(orders), SORT))


def _window(node: Node, around: Around) -> Value:
    function, specification = node.children
    kept = [child for child in specification.children if child.kind != "SpecifiedWindowFrame"]
    value: Value = function.value
    return value.with_indirect(used(_values(kept), WINDOW))


# Insides


def _struct(node: Node, around: Around) -> Value:
    names = [str(child.fields.get("value")) for child in node.children[::2]]
    return struct(dict(zip(names, _values(node.children[1::2]), strict=True)))


def field_names(node: Node) -> list[str]:
    """The fields of a struct (or of an array's structs), where they are known."""
    kind = node.fields.get("dataType")
    while isinstance(kind, dict) and kind.get("type") == "array":
        kind = kind["elementType"]
    if isinstance(kind, dict) and kind.get("type") == "struct":
        return [field["name"] for field in kind["fields"]]
    return list(node.value.fields or ())


def _field(node: Node, around: Around) -> Value:
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


def _updated(node: Node, around: Around) -> Value:
    """`withField` and `dropFields`"""
    first: Value = node.children[0].value
    names = field_names(node.children[0])
    if not first.has_inside() or not names:
        return derived(_values(node.children))
    fields = {name: first.pick(name) for name in names}
    for change in node.children[1:]:
        if change.kind == "WithField":
            fields[change.name] = change.children[0].value
        else:
            fields.pop(change.name, None)
    return struct(fields)


def _array(node: Node, around: Around) -> Value:
    value = branches(node.children)
    return Value(derived([value]).own, value.fields, value.open)


def _element(node: Node, around: Around) -> Value:
    first: Value = node.children[0].value
    return Value(derived(_values(node.children)).own, first.fields, first.open)


def _map(node: Node, around: Around) -> Value:
    return struct({"key": branches(node.children[::2]), "value": branches(node.children[1::2])})


def _looked_up(node: Node, around: Around) -> Value:
    """`map[key]`, `array[position]`"""
    first, by = node.children[0].value, node.children[1].value
    if first.fields is not None and first.fields.keys() == {"key", "value"}:
        return Value(derived([first.fields["value"], by]).own, first.fields["value"].fields)
    return Value(derived([first, by]).own, first.fields, first.open if node.kind != "GetMapValue" else None)


def _of_map(name: str) -> "Rule":
    def rule(node: Node, around: Around) -> Value:
        value: Value = node.children[0].value
        return derived([value.fields[name] if value.fields and name in value.fields else value])

    return rule


def _cast(node: Node, around: Around) -> Value:
    child = node.children[0]
    return _as_type(child.value, _type_of(child), node.fields.get("dataType"), field_names(child))


def _type_of(node: Node) -> Any:
    """Where it can be told without asking Spark; else None."""
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


# Encoded structs


def _decoded(node: Node, around: Around) -> Value:
    value: Value = node.children[0].value
    indirect = {origin: kinds & INDIRECT for origin, kinds in value.own.items() if kinds & INDIRECT}
    direct = [origin for origin in value.own if origin not in indirect or value.own[origin] != indirect[origin]]
    topics = [o for o in direct if isinstance(o, Source) and o.field in ("key", "value") and around.is_topic(o)]
    if value.encoded is not None:
        return value.encoded
    if topics and len(topics) == len(direct):
        # The fields of the record are the topic's columns; decoding does not change them.
        for origin in topics:
            if origin.field == "value":
                around.decoded(origin, encoding.fields_of(node))
        bare = [origin._replace(field="" if origin.field == "value" else "key") for origin in topics]
        return encoding.columns_of(bare, node).with_indirect(indirect)
    inside = encoding.field_names(node)
    whole = derived([value])
    return Value(whole.own, dict.fromkeys(inside, whole) if inside else None)


def _encoded(node: Node, around: Around) -> Value:
    value: Value = node.children[0].value
    around.encoded(encoding.fields_of(node))
    return Value(derived([value]).own, encoded=value if value.has_inside() else None)


def _concatenated(node: Node, around: Around) -> Value:
    """A header before encoded bytes does not hide what is in them."""
    held = [child.value.encoded for child in node.children if child.value.encoded is not None]
    others = [child for child in node.children if child.value.encoded is None and child.value.own]
    return Value(derived(_values(node.children)).own, encoded=held[0] if len(held) == 1 and not others else None)


# Subqueries


def _subquery(node: Node, around: Around) -> Value:
    columns, rows = around.query(node.fields["plan"])
    if node.kind == "Exists":
        return Value(rows)
    if node.kind == "ScalarSubquery" and len(columns) == 1:
        return columns[0].with_indirect(rows)
    return derived(columns).with_indirect(rows)


def _outer(node: Node, around: Around) -> Value:
    inner = parse(node.fields["e"])
    node.fields = {**inner.fields, "num-children": 0}
    return around.outer(inner)


Rule = Callable[[Node, Around], Value]

_RULES: Mapping[str, Rule] = {
    "AttributeReference": lambda node, around: around.column(node),
    "OuterReference": _outer,
    "Literal": _nothing,
    "NamedLambdaVariable": lambda node, _: Value({Variable(node.id): 1}, open={Variable(node.id): 1}),
    "CommonExpressionRef": lambda _, __: Value({Variable(COMMON): 1}, open={Variable(COMMON): 1}),
    "With": lambda node, _: with_common(node),
    "LambdaFunction": lambda node, _: node.children[0].value,
    "CaseWhen": _case,
    "If": _if,
    "Coalesce": _coalesce,
    "AggregateExpression": _aggregate,
    "MaxBy": _by_another,
    "MinBy": _by_another,
    "PivotFirst": _pivot,
    "ListAgg": _listed,
    "WindowExpression": _window,
    "CreateNamedStruct": _struct,
    "GetStructField": _field,
    "GetArrayStructFields": _field,
    "UpdateFields": _updated,
    "CreateArray": _array,
    "CreateMap": _map,
    "GetMapValue": _looked_up,
    "ElementAt": _looked_up,
    "MapKeys": _of_map("key"),
    "MapValues": _of_map("value"),
    "MapEntries": _element,
    "Cast": _cast,
    "FromAvro": _decoded,
    "AvroDataToCatalyst": _decoded,
    "JsonToStructs": _decoded,
    "CsvToStructs": _decoded,
    "XmlToStructs": _decoded,
    "FromProtobuf": _decoded,
    "ToAvro": _encoded,
    "CatalystDataToAvro": _encoded,
    "StructsToJson": _encoded,
    "StructsToCsv": _encoded,
    "StructsToXml": _encoded,
    "Concat": _concatenated,
    **dict.fromkeys(_SAME, _same),
    **dict.fromkeys(_RANKS, _nothing),
    **dict.fromkeys(_KEEPING, _keeping),
    **dict.fromkeys(_ELEMENT, _element),
    **dict.fromkeys(LAMBDAS, lambda node, _: higher_order(node)),
}
