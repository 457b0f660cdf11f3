"""A plan out of the JVM, in the form of Spark's JSON.

One call gives all of it, but that JSON has a trap: it contains the branches of a CASE twice, and the expressions behind
`nvl` and the like, too. Twelve nested CASEs are eight megabytes, twenty would kill the driver. So plans with deep
expressions are walked object by object, which is slower but always safe.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from headwater.spark.leaves import items
from headwater.spark.tree import Json, Listed

# The innermost branch would be written two to the power of this times.
DEEP = 5
_EVERYTHING = 2**31 - 1
_WORDS = re.compile(r"\bCASE WHEN\b|\bEND\b|\b(?:nvl2?|ifnull|nullif|try_\w+|zeroifnull|nullifzero)\(|[()]")
# The fields of operators that hold expressions, and others that are read.
_EXPRESSIONS = {
    "Project": ("projectList",), "Filter": ("condition",), "Sort": ("order",),
    "Aggregate": ("groupingExpressions", "aggregateExpressions"), "Window": ("windowExpressions",),
    "Deduplicate": ("keys",), "DeduplicateWithinWatermark": ("keys",), "Join": ("condition",),
    "AsOfJoin": ("asOfCondition", "condition"), "LateralJoin": ("right", "condition"),
    "Expand": ("projections", "output"), "Generate": ("generator", "generatorOutput"),
    "MapInPandas": ("output",), "MapInArrow": ("output",), "FlatMapGroupsInPandas": ("groupingAttributes", "output"),
    "FlatMapCoGroupsInPandas": ("output",),
}  # fmt: skip


def read(plan: Any) -> Listed:
    text = str(plan.treeString(True, False, _EVERYTHING, False, False))
    if max(map(depth, text.splitlines()), default=0) < DEEP:
        listed: Listed = json.loads(str(plan.toJSON()))
        return listed
    return [_operator(node) for node in _pre_order(plan)]


def depth(line: str) -> int:
    """How deep the constructs that are written twice are nested."""
    inside: list[bool] = []
    deepest = cases = 0
    for word in _WORDS.findall(line):
        if word == "CASE WHEN":
            cases += 1
        elif word == "END":
            cases = max(0, cases - 1)
        elif word == ")":
            if inside:
                inside.pop()
        else:
            inside.append(word != "(")
        deepest = max(deepest, cases + sum(inside))
    return deepest


def _pre_order(node: Any) -> Iterator[Any]:
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(list(items(node.children())))


def _kind(node: Any) -> str:
    return str(node.getClass().getName())


def _operator(node: Any) -> Json:
    name = _kind(node)
    kind = name.rpartition(".")[2]
    count = int(node.children().size())
    if count == 0:
        leaf: Json = json.loads(str(node.toJSON()))[0]
        return leaf
    fields: Json = {"class": name, "num-children": count}
    for field in _EXPRESSIONS.get(kind, ()):
        fields[field] = _listed(getattr(node, field)())
    if kind in ("Join", "LateralJoin", "AsOfJoin"):
        fields["joinType"] = str(node.joinType().toString())
    if kind in ("CTERelationDef", "UnionLoop"):
        fields["id"] = int(node.id())
    if kind == "UnionLoop":
        fields["outputAttrIds"] = [{"id": int(attribute.id())} for attribute in items(node.outputAttrIds())]
    return fields


def _listed(value: Any) -> Any:
    """An expression, an optional one, or sequences of them."""
    name = _kind(value)
    if name == "scala.None$":
        return None
    if name == "scala.Some":
        return _listed(value.get())
    if "catalyst.expressions" in name:
        return expression(value)
    return [_listed(item) for item in items(value)]


def expression(root: Any) -> Listed:
    if depth(str(root.toString())) < DEEP:
        listed: Listed = json.loads(str(root.toJSON()))
        return listed
    return [_expression(node) for node in _pre_order(root)]


def _expression(node: Any) -> Json:
    name = _kind(node)
    kind = name.rpartition(".")[2]
    count = int(node.children().size())
    if count == 0:
        leaf: Json = json.loads(str(node.toJSON()))[0]
        return leaf
    fields: Json = {"class": name, "num-children": count}
    if kind == "Alias":
        fields |= {"name": str(node.name()), "exprId": {"id": int(node.exprId().id())}}
    elif kind == "Cast":
        fields["dataType"] = json.loads(str(node.dataType().json()))
    elif kind == "GetStructField":
        fields["ordinal"] = int(node.ordinal())
        fields["name"] = str(node.name().get()) if node.name().isDefined() else None
    elif kind == "GetArrayStructFields":
        fields["field"] = {"name": str(node.field().name())}
    elif kind in ("WithField", "PythonUDF", "PythonUDAF"):
        fields["name"] = str(node.name())
    elif kind in ("JsonToStructs", "CsvToStructs", "XmlToStructs"):
        fields["schema"] = json.loads(str(node.schema().json()))
    elif kind in ("ScalarSubquery", "Exists", "ListQuery", "LateralSubquery"):
        fields["plan"] = read(node.plan())
    elif count == 1 and "replacement" in {str(f.getName()) for f in node.getClass().getDeclaredFields()}:
        fields["replacement"] = 0
    return fields
