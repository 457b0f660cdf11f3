"""The value of an expression of a plan: which columns it is made of, and how.

An expression is evaluated from its leaves upwards, without recursion. What has no rule of its own is a transformation
of all its arguments, so that unknown functions are still reported truly. `nested` and `encoding` have the rules for
values with fields.
"""

import re
from collections.abc import Mapping

from headwater.spark import encoding, nested
from headwater.spark.expression_rules import ExpressionScope, Rule, branches, values_of
from headwater.spark.kinds import AGGREGATION, CONDITIONAL, MASKED, SORT, TRANSFORMATION, WINDOW
from headwater.spark.lambdas import COMMON, LAMBDAS, higher_order, with_common
from headwater.spark.tree import Listed, Node, nodes, parse
from headwater.spark.values import NOTHING, Value, Variable, derived, used

# They return their argument unchanged.
_SAME = {
    "Alias", "KnownNullable", "KnownNotNull", "KnownNotContainsNull", "KnownFloatingPointNormalized",
    "NormalizeNaNAndZero", "TempResolvedColumn", "AssertNotNull", "CommonExpressionDef", "PipeExpression",
}  # fmt: skip
# Their result does not reveal the argument.
_MASKING = {
    "Mask", "Sha1", "Sha2", "Md5", "Crc32", "Murmur3Hash", "XxHash64", "HiveHash", "CollationAwareMurmur3Hash",
    "CollationAwareXxHash64", "AesEncrypt", "TryAesEncrypt",
}  # fmt: skip
_MASKING_NAME = re.compile(
    r"mask|redact|anonymi[sz]e|pseudonymi[sz]e|tokeni[sz]e|encrypt|obfuscate|(^|_)hash(_|$)", re.I
)
_UDFS = {"PythonUDF", "PythonUDAF", "ScalaUDF", "HiveSimpleUDF", "HiveGenericUDF", "ScalaAggregator", "ScalaUDAF"}
# They depend on the order of rows, which the window reports; their arguments repeat that order.
_RANKS = {"Rank", "DenseRank", "PercentRank"}
# Aggregates that return one of the values, or all of them, unchanged: fields of structs stay known.
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


def evaluate(listed: Listed, scope: ExpressionScope) -> Node:
    """The root of the expression, with the values of all nodes filled in."""
    pre_order = nodes(listed)
    for node in reversed(pre_order):
        rule = _RULES.get(node.kind, _transformation)
        node.value = rule(node, scope)
    return pre_order[0]


def value_of(listed: Listed, scope: ExpressionScope) -> Value:
    value: Value = evaluate(listed, scope).value
    return value


def _transformation(node: Node, scope: ExpressionScope) -> Value:
    if "plan" in node.fields:
        return _subquery(node, scope)
    # `nvl`, `nullif` and many others stand for an expression, which is their only child.
    stands_for = len(node.children) == 1 and node.fields.get("replacement") == 0
    value = node.children[0].value if stands_for else derived(values_of(node.children))
    return derived([value], TRANSFORMATION << MASKED) if _is_masking(node) else value


def _is_masking(node: Node) -> bool:
    if node.kind in _UDFS:
        return bool(_MASKING_NAME.search(str(node.fields.get("name") or node.fields.get("udfName") or "")))
    return node.kind in _MASKING


def _same(node: Node, scope: ExpressionScope) -> Value:
    value: Value = node.children[0].value
    return value


def _nothing(node: Node, scope: ExpressionScope) -> Value:
    return NOTHING


# Conditions


def _case(node: Node, scope: ExpressionScope) -> Value:
    children = node.children
    conditions = children[:-1:2]
    chosen = children[1::2] + (children[-1:] if len(children) % 2 else [])
    # `window()` finds the start of a window with a CASE that is not in the query.
    if any(condition.has("PreciseTimestampConversion") for condition in conditions):
        return branches(chosen)
    return branches(chosen).with_indirect(used(values_of(conditions), CONDITIONAL))


def _if(node: Node, scope: ExpressionScope) -> Value:
    condition, *chosen = node.children
    return branches(chosen).with_indirect(used([condition.value], CONDITIONAL))


def _coalesce(node: Node, scope: ExpressionScope) -> Value:
    return branches(node.children)


# Aggregates and windows


def _aggregate(node: Node, scope: ExpressionScope) -> Value:
    """`function FILTER (WHERE …)`"""
    function, *condition = node.children
    value: Value = function.value.after(AGGREGATION << MASKED if function.kind == "Count" else AGGREGATION)
    return value.with_indirect(used(values_of(condition), CONDITIONAL))


def _keeping(node: Node, scope: ExpressionScope) -> Value:
    first: Value = node.children[0].value
    value = first.after(TRANSFORMATION)
    return Value(derived(values_of(node.children)).own, value.fields, value.open, value.encoded)


def _by_another(node: Node, scope: ExpressionScope) -> Value:
    """`max_by(value, by)`: the second says which of the first."""
    value, by = values_of(node.children)[:2]
    return value.after(TRANSFORMATION).with_indirect(used([by], CONDITIONAL))


def _pivot(node: Node, scope: ExpressionScope) -> Value:
    by, value = values_of(node.children)[:2]
    return value.after(TRANSFORMATION).with_indirect(used([by], CONDITIONAL))


def _list_aggregate(node: Node, scope: ExpressionScope) -> Value:
    orders = [child for child in node.children if child.kind == "SortOrder"]
    rest = [child for child in node.children if child.kind != "SortOrder"]
    return derived(values_of(rest)).with_indirect(used(values_of(orders), SORT))


def _window(node: Node, scope: ExpressionScope) -> Value:
    function, specification = node.children
    partition_and_order = [child for child in specification.children if child.kind != "SpecifiedWindowFrame"]
    value: Value = function.value
    return value.with_indirect(used(values_of(partition_and_order), WINDOW))


# Subqueries


def _subquery(node: Node, scope: ExpressionScope) -> Value:
    columns, rows = scope.query(node.fields["plan"])
    if node.kind == "Exists":
        return Value(rows)
    if node.kind == "ScalarSubquery" and len(columns) == 1:
        return columns[0].with_indirect(rows)
    return derived(columns).with_indirect(rows)


def _outer(node: Node, scope: ExpressionScope) -> Value:
    inner = parse(node.fields["e"])
    node.fields = {**inner.fields, "num-children": 0}
    return scope.outer(inner)


_RULES: Mapping[str, Rule] = {
    "AttributeReference": lambda node, scope: scope.column(node),
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
    "ListAgg": _list_aggregate,
    "WindowExpression": _window,
    "CreateNamedStruct": nested.create_struct,
    "GetStructField": nested.struct_field,
    "GetArrayStructFields": nested.struct_field,
    "UpdateFields": nested.updated_struct,
    "CreateArray": nested.create_array,
    "CreateMap": nested.create_map,
    "GetMapValue": nested.looked_up,
    "ElementAt": nested.looked_up,
    "MapKeys": nested.map_part("key"),
    "MapValues": nested.map_part("value"),
    "MapEntries": nested.element,
    "Cast": nested.cast,
    "FromAvro": encoding.decoded,
    "AvroDataToCatalyst": encoding.decoded,
    "JsonToStructs": encoding.decoded,
    "CsvToStructs": encoding.decoded,
    "XmlToStructs": encoding.decoded,
    "FromProtobuf": encoding.decoded,
    "ToAvro": encoding.encoded,
    "CatalystDataToAvro": encoding.encoded,
    "StructsToJson": encoding.encoded,
    "StructsToCsv": encoding.encoded,
    "StructsToXml": encoding.encoded,
    "Concat": encoding.concatenated,
    **dict.fromkeys(_SAME, _same),
    **dict.fromkeys(_RANKS, _nothing),
    **dict.fromkeys(_KEEPING, _keeping),
    **dict.fromkeys(_ELEMENT, nested.element),
    **dict.fromkeys(LAMBDAS, lambda node, _: higher_order(node)),
}
