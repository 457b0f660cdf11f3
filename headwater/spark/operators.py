"""The operators of a plan: what each makes of the rows that come in."""

from collections.abc import Mapping

from headwater.spark import generators
from headwater.spark.expression_rules import branches, is_null
from headwater.spark.expressions import evaluate
from headwater.spark.kinds import CONDITIONAL, FILTER, GROUP_BY, JOIN, SORT
from headwater.spark.relations import Column, Leaf, OperatorRule, PlanReader, Rows, Scope
from headwater.spark.tree import Node, parse, trees
from headwater.spark.values import NOTHING, Source, Value, column, derived, together, united, used

# Rows come out as they go in.
_UNCHANGED = {
    "SubqueryAlias", "View", "EventTimeWatermark", "UpdateEventTimeWatermarkColumn", "GlobalLimit", "LocalLimit",
    "Offset", "Tail", "Sample", "Repartition", "RepartitionByExpression", "RebalancePartitions",
    "ResolvedHint", "CTERelationDef", "WithWindowDefinition", "ReturnAnswer", "PipeOperator",
}  # fmt: skip
# Rows that come from no dataset.
_LITERAL = {"LocalRelation", "Range", "OneRowRelation", "CommandResult", "ExternalRDD"}
# Functions of the user from whole rows to whole rows.
_FUNCTIONS = {
    "MapInPandas", "MapInArrow", "PythonMapInArrow", "FlatMapGroupsInPandas", "FlatMapGroupsInArrow",
    "FlatMapCoGroupsInPandas", "FlatMapCoGroupsInArrow", "FlatMapGroupsInPandasWithState",
    "TransformWithStateInPySpark", "TransformWithStateInPandas", "MapPartitionsInR", "ScriptTransformation",
}  # fmt: skip
# Metrics that can be added up over batches.
_COUNTS = (["Count"], ["Sum"], ["CountIf"])
_LEFT_ONLY = ("LeftSemi", "LeftAnti")


def _unchanged(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    return inputs[0]


def _literal_rows(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    return Rows([Column(c.id, c.name, NOTHING) for c in _attributes(node)], {})


def _observed(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    for listed in trees(node.fields.get("metrics")):
        classes = [part["class"].rpartition(".")[2] for part in listed[:3]]
        if classes[:2] == ["Alias", "AggregateExpression"] and classes[2:] in _COUNTS:
            reader.counters.add((node.name, str(listed[0]["name"])))
    return inputs[0]


def _project(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    scope = reader.scope(inputs, outer)
    return Rows(reader.columns(reader.trees(node, "projectList"), scope), inputs[0].depend)


def _filter(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    by = reader.used(reader.trees(node, "condition"), FILTER, reader.scope(inputs, outer))
    return Rows(inputs[0].columns, united([inputs[0].depend, by]))


def _sort(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    by = reader.used(reader.trees(node, "order"), SORT, reader.scope(inputs, outer))
    return Rows(inputs[0].columns, united([inputs[0].depend, by]))


def _aggregate(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    scope = reader.scope(inputs, outer)
    by = reader.used(reader.trees(node, "groupingExpressions"), GROUP_BY, scope)
    return Rows(reader.columns(reader.trees(node, "aggregateExpressions"), scope), united([inputs[0].depend, by]))


def _window(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    added = reader.columns(reader.trees(node, "windowExpressions"), reader.scope(inputs, outer))
    return Rows(inputs[0].columns + added, inputs[0].depend)


def _distinct(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    if "keys" in node.fields:
        by = reader.used(reader.trees(node, "keys"), GROUP_BY, reader.scope(inputs, outer))
    else:
        by = used(inputs[0].values(), GROUP_BY)
    return Rows(inputs[0].columns, united([inputs[0].depend, by]))


def _join(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    scope = reader.scope(inputs, outer)
    conditions = trees(node.fields.get("condition")) + trees(node.fields.get("asOfCondition"))
    by = reader.used(conditions, JOIN, scope)
    columns = inputs[0].columns if _is_left_only(node) else inputs[0].columns + inputs[1].columns
    return Rows(columns, united([inputs[0].depend, inputs[1].depend, by]))


def _lateral_join(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    left = inputs[0]
    subquery = parse(node.fields["right"])
    right = reader.read(parse(subquery.fields["plan"]), reader.scope([left], outer))
    by = reader.used(trees(node.fields.get("condition")), JOIN, reader.scope([left, right], outer))
    columns = left.columns if _is_left_only(node) else left.columns + right.columns
    return Rows(columns, united([left.depend, right.depend, by]))


def _union(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    columns = [
        Column(first.id, first.name, together([rows.columns[i].value for rows in inputs]))
        for i, first in enumerate(inputs[0].columns)
    ]
    return Rows(columns, united(rows.depend for rows in inputs))


def _set_operation(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    """INTERSECT and EXCEPT: the second relation says which rows of the first stay."""
    left, right = inputs
    by = used(left.values() + right.values(), FILTER)
    return Rows(left.columns, united([left.depend, right.depend, by]))


def _expand(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    """Each row several times, with other values: GROUPING SETS, UNPIVOT, sliding windows."""
    scope = reader.scope(inputs, outer)
    projections = reader.field(node, "projections")
    variants = [[evaluate(listed, scope) for listed in trees(projection)] for projection in projections]
    columns = [Column(c.id, c.name, branches([v[i] for v in variants])) for i, c in enumerate(_attributes(node))]
    return Rows(columns, inputs[0].depend)


def _merge(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    """MERGE: each row by the first instruction whose condition holds. Those that drop rows filter."""
    scope = reader.scope(inputs, outer)
    instructions: list[list[Node]] = []
    conditions: list[Value] = []
    filters: list[Value] = []
    for field in ("matchedInstructions", "notMatchedInstructions", "notMatchedBySourceInstructions"):
        for listed in trees(node.fields.get(field)):
            condition, *outputs = evaluate(listed, scope).children
            (conditions if outputs else filters).append(condition.value)
            instructions.append(outputs)
    attributes = _attributes(node)
    count = len(attributes)
    by = used(conditions, CONDITIONAL)
    columns = []
    for i, attribute in enumerate(attributes):
        # An instruction may give two rows, one after the other.
        values = [output.value for outputs in instructions for output in outputs[i::count] if not is_null(output)]
        columns.append(Column(attribute.id, attribute.name, together(values or [NOTHING]).with_indirect(by)))
    return Rows(columns, united([inputs[0].depend, used(filters, FILTER)]))


def _generate(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    generator = evaluate(node.fields["generator"], reader.scope(inputs, outer))
    names = _attributes(node, "generatorOutput")
    values = generators.generated(generator, len(names))
    return Rows(
        inputs[0].columns + [Column(c.id, c.name, v) for c, v in zip(names, values, strict=True)],
        united([inputs[0].depend, generators.row_count(generator)]),
    )


def _with_ctes(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    *definitions, plan = node.children
    for definition in definitions:
        reader.cte_rows[definition.fields["id"]] = reader.read(definition, outer)
    return reader.read(plan, outer)


def _cte_reference(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    rows = reader.cte_rows.get(node.fields["cteId"])
    if rows is None:
        return _recursion(reader, node, reader.loop_rows.get(node.fields["cteId"]))
    return _renamed(node, rows)


def _loop_reference(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    return _recursion(reader, node, reader.loop_rows.get(node.fields["loopId"]))


def _recursion(reader: PlanReader, node: Node, loop: Rows | None) -> Rows:
    if loop is None:
        reader.not_known(f"{node.kind}: its definition is not in the plan")
        return Rows([Column(c.id, c.name, NOTHING) for c in _attributes(node)], {})
    return _renamed(node, loop)


def _renamed(node: Node, rows: Rows) -> Rows:
    pairs = zip(_attributes(node), rows.columns, strict=True)
    return Rows([Column(new.id, new.name, old.value) for new, old in pairs], rows.depend)


def _loop(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    """A recursive query: the result of one round goes into the next, until nothing changes."""
    anchor, recursion = node.children
    ids = [attribute["id"] for attribute in node.fields["outputAttrIds"]]
    rows = reader.read(anchor, outer)
    while True:
        reader.loop_rows[node.fields["id"]] = rows
        again = _union(reader, node, [rows, reader.read(recursion, outer)], outer)
        if _same_content(again, rows):
            break
        rows = again
    return Rows([Column(i, c.name, c.value) for i, c in zip(ids, rows.columns, strict=True)], rows.depend)


def _leaf(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    attributes = _attributes(node)
    leaf = reader.leaves.get(attributes[0].id) if attributes else Leaf()
    if leaf is None:
        reader.not_known(f"{node.kind}: the dataset it reads is not known")
        leaf = Leaf()
    if leaf.unknown:
        reader.not_known(leaf.unknown)
    if leaf.values is not None:
        pairs = zip(attributes, leaf.values, strict=True)
        return Rows([Column(c.id, c.name, v) for c, v in pairs], leaf.depend)
    return Rows([Column(c.id, c.name, column(*(Source(*d, c.name) for d in leaf.datasets))) for c in attributes], {})


def _user_function(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    everything = derived(value for rows in inputs for value in rows.values())
    scope = reader.scope(inputs, outer)
    groups = [
        listed
        for name, field in node.fields.items()
        if name.lower().endswith("groupingattributes")
        for listed in trees(field)
    ]
    by_id: dict[int, Column] = {}
    for name, field in node.fields.items():
        if name.lower().startswith("output") or name == "generatorOutput":
            for listed in trees(field):
                attribute = parse(listed)
                by_id[attribute.id] = Column(attribute.id, attribute.name, everything)
    columns = list(by_id.values()) or [c for rows in inputs for c in rows.columns]
    depend = [reader.used(groups, GROUP_BY, scope)]
    for rows, name in zip(inputs, ("leftGroupingLen", "rightGroupingLen"), strict=False):
        depend.append(used(rows.values()[: node.fields.get(name, 0)], GROUP_BY))
    return Rows(columns, united([*(rows.depend for rows in inputs), *depend]))


def other(reader: PlanReader, node: Node, inputs: list[Rows], outer: Scope | None) -> Rows:
    """For operators without a rule."""
    if not node.children:
        return _leaf(reader, node, inputs, outer)
    reader.not_known(f"{node.kind}: every column may depend on every input column")
    rows = _user_function(reader, node, inputs, outer)
    everything = derived(value for rows in inputs for value in rows.values())
    return Rows([Column(c.id, c.name, everything) for c in rows.columns], rows.depend)


def _attributes(node: Node, field: str = "output") -> list[Column]:
    return [Column(a.id, a.name, NOTHING) for a in map(parse, trees(node.fields.get(field)))]


def _is_left_only(node: Node) -> bool:
    return any(kind in str(node.fields.get("joinType")) for kind in _LEFT_ONLY)


def _same_content(one: Rows, other: Rows) -> bool:
    return one.depend == other.depend and [v.own for v in one.values()] == [v.own for v in other.values()]


RULES: Mapping[str, OperatorRule] = {
    "CollectMetrics": _observed,
    "Project": _project,
    "Filter": _filter,
    "Sort": _sort,
    "Aggregate": _aggregate,
    "Window": _window,
    "Distinct": _distinct,
    "Deduplicate": _distinct,
    "DeduplicateWithinWatermark": _distinct,
    "Join": _join,
    "AsOfJoin": _join,
    "LateralJoin": _lateral_join,
    "Union": _union,
    "Intersect": _set_operation,
    "Except": _set_operation,
    "Expand": _expand,
    "Generate": _generate,
    "MergeRows": _merge,
    "WithCTE": _with_ctes,
    "CTERelationRef": _cte_reference,
    "UnionLoop": _loop,
    "UnionLoopRef": _loop_reference,
    **dict.fromkeys(_UNCHANGED, _unchanged),
    **dict.fromkeys(_LITERAL, _literal_rows),
    **dict.fromkeys(_FUNCTIONS, _user_function),
}
