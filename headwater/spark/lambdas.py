"""Functions that take functions: `transform`, `filter`, `aggregate` and their like.

A lambda's body is evaluated like any expression, with its parameters as variables; here the variables get their
values.
"""

from headwater.spark.kinds import CONDITIONAL
from headwater.spark.tree import Node
from headwater.spark.values import NOTHING, Value, bound, derived, either, mentions, struct, together, used

# `nullif` and others refer to an expression that they use twice by a number that the JSON does not have.
COMMON = -1

LAMBDAS = {
    "ArrayTransform", "ArrayFilter", "ArrayExists", "ArrayForAll", "ArrayAggregate", "ArraySort", "ZipWith",
    "MapFilter", "TransformKeys", "TransformValues", "MapZipWith",
}  # fmt: skip


def with_common(node: Node) -> Value:
    body, *definitions = node.children
    value = together([definition.value for definition in definitions])
    body_value: Value = body.value
    return bound(body_value, {COMMON: value})


def higher_order(node: Node) -> Value:
    arguments: list[Value] = [child.value for child in node.children if child.kind != "LambdaFunction"]
    functions = [child for child in node.children if child.kind == "LambdaFunction"]
    first = arguments[0]
    if node.kind == "ArrayAggregate":
        return _folded(arguments, functions)
    if node.kind in ("ArrayTransform", "ZipWith"):
        parameters = [*arguments, NOTHING] if node.kind == "ZipWith" else [first, NOTHING]
        body = _called(functions[0], parameters)
        whole = [body] if mentions(functions[0].value, _parameters(functions[0])) else [body, *arguments]
        return Value(derived(whole).own, body.fields, body.open)
    if node.kind in ("ArrayFilter", "ArraySort"):
        by = used([_called(functions[0], [first, first if node.kind == "ArraySort" else NOTHING])], CONDITIONAL)
        return Value(derived([first]).own, first.fields, first.open).with_indirect(by)
    if node.kind in ("ArrayExists", "ArrayForAll"):
        return derived([_called(functions[0], [first])])
    key, value = _entry(first)
    if node.kind == "MapZipWith":
        body = _called(functions[0], [either([key, _entry(arguments[1])[0]]), value, _entry(arguments[1])[1]])
        return struct({"key": either([key, _entry(arguments[1])[0]]), "value": body})
    body = _called(functions[0], [key, value])
    if node.kind == "MapFilter":
        return struct({"key": key, "value": value}).with_indirect(used([body], CONDITIONAL))
    return struct({"key": body, "value": value} if node.kind == "TransformKeys" else {"key": key, "value": body})


def _entry(value: Value) -> tuple[Value, Value]:
    if value.fields is not None and value.fields.keys() == {"key", "value"}:
        return value.fields["key"], value.fields["value"]
    whole = derived([value])
    return whole, whole


def _parameters(function: Node) -> list[int]:
    return [parameter.id for parameter in function.children[1:]]


def _called(function: Node, arguments: list[Value]) -> Value:
    value: Value = function.value
    return bound(value, dict(zip(_parameters(function), arguments, strict=False)))


def _folded(arguments: list[Value], functions: list[Node]) -> Value:
    """`aggregate(array, start, merge, finish)`: the result of a merge is merged again, so the state is both."""
    element, state = arguments[0], arguments[1]
    for _ in range(2):
        state = together([state, _called(functions[0], [state, element])])
    return derived([_called(functions[1], [state])]) if len(functions) > 1 else derived([state])
