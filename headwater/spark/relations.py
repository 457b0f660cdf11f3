"""What the rows of a plan are made of, operator by operator.

The result of an operator is its columns, each with a value, and what its rows as a whole depend on:
filters, joins, groups, orders. An operator that is not known here makes all its columns depend on all
that comes in, and is named.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from headwater.spark.expressions import branches as one_of
from headwater.spark.expressions import evaluate, field_names, is_null, value_of
from headwater.spark.kinds import CONDITIONAL, FILTER, GROUP_BY, JOIN, SORT
from headwater.spark.tree import Listed, Node, parse, trees
from headwater.spark.values import NOTHING, Deps, Source, Value, column, derived, together, united, used

Dataset = tuple[str, str]


class Column(NamedTuple):
    id: int
    name: str
    value: Value


class Rows(NamedTuple):
    columns: list[Column]
    depend: Deps

    def values(self) -> list[Value]:
        return [c.value for c in self.columns]


class Leaf(NamedTuple):
    """A relation that is read: the datasets behind it, or the values of its columns if they are known."""

    datasets: tuple[Dataset, ...] = ()
    topic: bool = False
    values: tuple[Value, ...] | None = None
    depend: Deps = {}  # noqa: RUF012
    unknown: str | None = None


# Rows come out as they go in.
_SAME = {
    "SubqueryAlias", "View", "EventTimeWatermark", "UpdateEventTimeWatermarkColumn", "GlobalLimit", "LocalLimit",
    "Offset", "Tail", "Sample", "Repartition", "RepartitionByExpression", "RebalancePartitions",
    "ResolvedHint", "CTERelationDef", "WithWindowDefinition", "ReturnAnswer", "PipeOperator",
}  # fmt: skip
# Rows that are made here, from nothing.
_MADE = {"LocalRelation", "Range", "OneRowRelation", "CommandResult", "ExternalRDD"}
# A function of the user gets whole rows and gives others.
_FUNCTIONS = {
    "MapInPandas", "MapInArrow", "PythonMapInArrow", "FlatMapGroupsInPandas", "FlatMapGroupsInArrow",
    "FlatMapCoGroupsInPandas", "FlatMapCoGroupsInArrow", "FlatMapGroupsInPandasWithState",
    "TransformWithStateInPySpark", "TransformWithStateInPandas", "MapPartitionsInR", "ScriptTransformation",
}  # fmt: skip
# Generators that give the same number of rows for every row.
_ONE_ROW = {"Stack", "JsonTuple"}
# Measures that can be added up over batches.
_COUNTS = (["Count"], ["Sum"], ["CountIf"])
_LEFT_ONLY = ("LeftSemi", "LeftAnti")


class Scope:
    """The columns that expressions of one operator can name; around it those of the query that it is in."""

    def __init__(self, reader: "Reader", inputs: Iterable[Rows], around: "Scope | None") -> None:
        self._reader, self._around = reader, around
        self._known = {c.id: c.value for rows in inputs for c in rows.columns}

    def column(self, node: Node) -> Value:
        value = self._known.get(node.id)
        if value is not None:
            return value
        if self._around is not None:
            return self._around.column(node)
        self._reader.not_known(f"column {node.name}: nothing below gives it")
        return derived(self._known.values())

    def outer(self, node: Node) -> Value:
        return (self._around or self).column(node)

    def is_topic(self, source: Source) -> bool:
        return (source.namespace, source.name) in self._reader.topics

    def decoded(self, topic: Source, fields: dict[str, str]) -> None:
        self._reader.decoded.setdefault((topic.namespace, topic.name), {}).update(fields)

    def encoded(self, fields: dict[str, str]) -> None:
        self._reader.encoded.update(fields)

    def query(self, plan: Listed) -> tuple[list[Value], Deps]:
        rows = self._reader.read(parse(plan), self)
        return rows.values(), rows.depend


class Reader:
    """Reads a plan. `leaves` says, by the id of its first column, what each relation is."""

    def __init__(self, leaves: Mapping[int, Leaf], ask: Callable[[Node, str], Any] | None = None) -> None:
        self._leaves = leaves
        self._ask = ask
        self.topics = {dataset for leaf in leaves.values() if leaf.topic for dataset in leaf.datasets}
        self.unknown: list[str] = []
        self.decoded: dict[Dataset, dict[str, str]] = {}  # the records of topics: fields and their types
        self.encoded: dict[str, str] = {}
        self.counters: set[tuple[str, str]] = set()  # of `observe`: its name, and the measure's
        self._shared: dict[int, Rows] = {}  # common table expressions
        self._loops: dict[int, Rows] = {}

    def not_known(self, what: str) -> None:
        if what not in self.unknown:
            self.unknown.append(what)

    def read(self, node: Node, around: Scope | None = None) -> Rows:
        """Long chains of operators with one child each are followed in a loop: only joins nest."""
        chain = [node]
        while len(chain[-1].children) == 1 and chain[-1].kind not in ("WithCTE", "UnionLoop"):
            chain.append(chain[-1].children[0])
        last = chain.pop()
        rule = _RULES.get(last.kind, Reader._other)
        inputs = [] if last.kind in ("WithCTE", "UnionLoop") else [self.read(c, around) for c in last.children]
        rows = rule(self, last, inputs, around)
        below = last
        while chain:
            node = chain.pop()
            if not _is_of_time_window(node, below, chain[-1] if chain else None):
                rows = _RULES.get(node.kind, Reader._other)(self, node, [rows], around)
            below = node
        return rows

    # Helpers

    def _field(self, node: Node, name: str) -> Any:
        """Lists that were Python's come out of Spark's JSON as null, and have to be asked for."""
        found = node.fields.get(name)
        if found is None and self._ask is not None:
            found = node.fields[name] = self._ask(node, name)
        if found is None:
            self.not_known(f"{node.kind}: its {name} cannot be read")
        return found or []

    def _trees(self, node: Node, name: str) -> list[Listed]:
        return trees(self._field(node, name))

    def _scope(self, inputs: Iterable[Rows], around: Scope | None) -> Scope:
        return Scope(self, inputs, around)

    def _columns(self, found: list[Listed], scope: Scope) -> list[Column]:
        made = []
        for listed in found:
            node = evaluate(listed, scope)
            made.append(Column(node.id, node.name, node.value))
        return made

    def _used(self, found: list[Listed], way: int, scope: Scope) -> Deps:
        return used([value_of(listed, scope) for listed in found], way)

    # Operators

    def _same(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        return inputs[0]

    def _made(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        return Rows([Column(c.id, c.name, NOTHING) for c in _attributes(node)], {})

    def _observed(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        for listed in trees(node.fields.get("metrics")):
            classes = [part["class"].rpartition(".")[2] for part in listed[:3]]
            if classes[:2] == ["Alias", "AggregateExpression"] and classes[2:] in _COUNTS:
                self.counters.add((node.name, str(listed[0]["name"])))
        return inputs[0]

    def _project(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        scope = self._scope(inputs, around)
        return Rows(self._columns(self._trees(node, "projectList"), scope), inputs[0].depend)

    def _filter(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        by = self._used(self._trees(node, "condition"), FILTER, self._scope(inputs, around))
        return Rows(inputs[0].columns, united([inputs[0].depend, by]))

    def _sort(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        by = self._used(self._trees(node, "order"), SORT, self._scope(inputs, around))
        return Rows(inputs[0].columns, united([inputs[0].depend, by]))

    def _aggregate(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        scope = self._scope(inputs, around)
        by = self._used(self._trees(node, "groupingExpressions"), GROUP_BY, scope)
        return Rows(self._columns(self._trees(node, "aggregateExpressions"), scope), united([inputs[0].depend, by]))

    def _window(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        made = self._columns(self._trees(node, "windowExpressions"), self._scope(inputs, around))
        return Rows(inputs[0].columns + made, inputs[0].depend)

    def _distinct(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        if "keys" in node.fields:
            by = self._used(self._trees(node, "keys"), GROUP_BY, self._scope(inputs, around))
        else:
            by = used(inputs[0].values(), GROUP_BY)
        return Rows(inputs[0].columns, united([inputs[0].depend, by]))

    def _join(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        scope = self._scope(inputs, around)
        conditions = trees(node.fields.get("condition")) + trees(node.fields.get("asOfCondition"))
        by = self._used(conditions, JOIN, scope)
        columns = inputs[0].columns if _is_left_only(node) else inputs[0].columns + inputs[1].columns
        return Rows(columns, united([inputs[0].depend, inputs[1].depend, by]))

    def _lateral_join(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        left = inputs[0]
        subquery = parse(node.fields["right"])
        right = self.read(parse(subquery.fields["plan"]), self._scope([left], around))
        by = self._used(trees(node.fields.get("condition")), JOIN, self._scope([left, right], around))
        columns = left.columns if _is_left_only(node) else left.columns + right.columns
        return Rows(columns, united([left.depend, right.depend, by]))

    def _union(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        columns = [
            Column(first.id, first.name, together([rows.columns[i].value for rows in inputs]))
            for i, first in enumerate(inputs[0].columns)
        ]
        return Rows(columns, united(rows.depend for rows in inputs))

    def _set(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        """INTERSECT and EXCEPT: the second relation says which rows of the first stay."""
        left, right = inputs
        by = used(left.values() + right.values(), FILTER)
        return Rows(left.columns, united([left.depend, right.depend, by]))

    def _expand(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        """Each row several times, with other values: GROUPING SETS, UNPIVOT, sliding windows."""
        scope = self._scope(inputs, around)
        ways = [[evaluate(listed, scope) for listed in trees(way)] for way in self._field(node, "projections")]
        columns = [Column(c.id, c.name, one_of([way[i] for way in ways])) for i, c in enumerate(_attributes(node))]
        return Rows(columns, inputs[0].depend)

    def _merge(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        """MERGE: each row by the first instruction whose condition holds. Those that drop rows filter."""
        scope = self._scope(inputs, around)
        kept: list[list[Node]] = []
        decides: list[Value] = []
        filters: list[Value] = []
        for field in ("matchedInstructions", "notMatchedInstructions", "notMatchedBySourceInstructions"):
            for listed in trees(node.fields.get(field)):
                condition, *outputs = evaluate(listed, scope).children
                (decides if outputs else filters).append(condition.value)
                kept.append(outputs)
        attributes = _attributes(node)
        count = len(attributes)
        by = used(decides, CONDITIONAL)
        columns = []
        for i, attribute in enumerate(attributes):
            # An instruction may give two rows, one after the other.
            found = [output.value for outputs in kept for output in outputs[i::count] if not is_null(output)]
            columns.append(Column(attribute.id, attribute.name, together(found or [NOTHING]).with_indirect(by)))
        return Rows(columns, united([inputs[0].depend, used(filters, FILTER)]))

    def _generate(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        generator = evaluate(node.fields["generator"], self._scope(inputs, around))
        names = _attributes(node, "generatorOutput")
        values = _generated(generator, len(names))
        return Rows(
            inputs[0].columns + [Column(c.id, c.name, v) for c, v in zip(names, values, strict=True)],
            united([inputs[0].depend, _length(generator)]),
        )

    def _with(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        *definitions, plan = node.children
        for definition in definitions:
            self._shared[definition.fields["id"]] = self.read(definition, around)
        return self.read(plan, around)

    def _reference(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        shared = self._shared.get(node.fields["cteId"])
        if shared is None:
            return self._recursion(node, self._loops.get(node.fields["cteId"]))
        return self._renamed(node, shared)

    def _loop_reference(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        return self._recursion(node, self._loops.get(node.fields["loopId"]))

    def _recursion(self, node: Node, loop: Rows | None) -> Rows:
        if loop is None:
            self.not_known(f"{node.kind}: its definition is not in the plan")
            return Rows([Column(c.id, c.name, NOTHING) for c in _attributes(node)], {})
        return self._renamed(node, loop)

    def _renamed(self, node: Node, rows: Rows) -> Rows:
        pairs = zip(_attributes(node), rows.columns, strict=True)
        return Rows([Column(new.id, new.name, old.value) for new, old in pairs], rows.depend)

    def _loop(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        """A recursive query: what one round gives goes into the next, until nothing new comes."""
        anchor, recursion = node.children
        ids = [found["id"] for found in node.fields["outputAttrIds"]]
        rows = self.read(anchor, around)
        while True:
            self._loops[node.fields["id"]] = rows
            again = self._union(node, [rows, self.read(recursion, around)], around)
            if _same_content(again, rows):
                break
            rows = again
        return Rows([Column(i, c.name, c.value) for i, c in zip(ids, rows.columns, strict=True)], rows.depend)

    def _leaf(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        attributes = _attributes(node)
        leaf = self._leaves.get(attributes[0].id) if attributes else Leaf()
        if leaf is None:
            self.not_known(f"{node.kind}: which dataset it reads")
            leaf = Leaf()
        if leaf.unknown:
            self.not_known(leaf.unknown)
        if leaf.values is not None:
            pairs = zip(attributes, leaf.values, strict=True)
            return Rows([Column(c.id, c.name, v) for c, v in pairs], leaf.depend)
        return Rows(
            [Column(c.id, c.name, column(*(Source(*d, c.name) for d in leaf.datasets))) for c in attributes], {}
        )

    def _function(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        everything = derived(value for rows in inputs for value in rows.values())
        scope = self._scope(inputs, around)
        groups = [
            listed
            for name, field in node.fields.items()
            if name.lower().endswith("groupingattributes")
            for listed in trees(field)
        ]
        made: dict[int, Column] = {}
        for name, field in node.fields.items():
            if name.lower().startswith("output") or name == "generatorOutput":
                for listed in trees(field):
                    attribute = parse(listed)
                    made[attribute.id] = Column(attribute.id, attribute.name, everything)
        columns = list(made.values()) or [c for rows in inputs for c in rows.columns]
        by = [self._used(groups, GROUP_BY, scope)]
        for rows, name in zip(inputs, ("leftGroupingLen", "rightGroupingLen"), strict=False):
            by.append(used(rows.values()[: node.fields.get(name, 0)], GROUP_BY))
        return Rows(columns, united([*(rows.depend for rows in inputs), *by]))

    def _other(self, node: Node, inputs: list[Rows], around: Scope | None) -> Rows:
        if not node.children:
            return self._leaf(node, inputs, around)
        self.not_known(f"{node.kind}: taken as a function of all that goes in")
        rows = self._function(node, inputs, around)
        everything = derived(value for rows in inputs for value in rows.values())
        return Rows([Column(c.id, c.name, everything) for c in rows.columns], rows.depend)


def _attributes(node: Node, field: str = "output") -> list[Column]:
    return [Column(a.id, a.name, NOTHING) for a in map(parse, trees(node.fields.get(field)))]


def _is_left_only(node: Node) -> bool:
    return any(kind in str(node.fields.get("joinType")) for kind in _LEFT_ONLY)


def _is_of_time_window(node: Node, below: Node, above: Node | None) -> bool:
    """`window()` and `session_window()` add a filter on the time column, which nobody wrote."""
    if node.kind != "Filter":
        return False
    if below.kind == "Expand" and _mentions_time(below.fields["projections"]):
        return True
    if parse(node.fields["condition"]).kind != "IsNotNull":
        return False
    for neighbour, name in ((above, None), (below, "session_window")):
        if neighbour is not None and neighbour.kind == "Project":
            aliases = [t for t in trees(neighbour.fields["projectList"]) if t[0]["class"].endswith(".Alias")]
            if any(_mentions_time(t) and name in (None, t[0].get("name")) for t in aliases):
                return True
    return False


def _mentions_time(field: object) -> bool:
    if isinstance(field, dict):
        return str(field.get("class", "")).endswith(".PreciseTimestampConversion")
    return isinstance(field, list) and any(_mentions_time(item) for item in field)


def _length(generator: Node) -> Deps:
    """A row comes out as often as its array is long, and not at all if that is empty: a join with its elements.
    An array that is written down in the query is always as long."""
    if generator.kind == "GeneratorOuter":
        return _length(generator.children[0])
    if generator.kind in _ONE_ROW or all(child.kind in ("CreateArray", "CreateMap") for child in generator.children):
        return {}
    return used([child.value for child in generator.children], JOIN)


def _generated(generator: Node, count: int) -> list[Value]:
    kind, children = generator.kind, generator.children
    if kind == "GeneratorOuter":
        return _generated(children[0], count)
    whole = derived(child.value for child in children)
    if kind in ("Explode", "PosExplode"):
        value: Value = children[0].value
        entries = count - (kind == "PosExplode")
        if entries == 2:
            names = ("key", "value")
            inside = [value.fields[n] if value.fields and n in value.fields else whole for n in names]
        else:
            inside = [Value(whole.own, value.fields, value.open)]
        return [whole] * (count - entries) + inside
    if kind == "Inline":
        names_of = field_names(children[0])
        if len(names_of) == count:
            return [children[0].value.pick(name) for name in names_of]
    if kind == "Stack":
        cells = children[1:]
        return [one_of(cells[i::count]) for i in range(count)]
    return [whole] * count


def _same_content(one: Rows, other: Rows) -> bool:
    return one.depend == other.depend and [v.own for v in one.values()] == [v.own for v in other.values()]


_RULES: Mapping[str, Callable[[Reader, Node, list[Rows], Scope | None], Rows]] = {
    "CollectMetrics": Reader._observed,
    "Project": Reader._project,
    "Filter": Reader._filter,
    "Sort": Reader._sort,
    "Aggregate": Reader._aggregate,
    "Window": Reader._window,
    "Distinct": Reader._distinct,
    "Deduplicate": Reader._distinct,
    "DeduplicateWithinWatermark": Reader._distinct,
    "Join": Reader._join,
    "AsOfJoin": Reader._join,
    "LateralJoin": Reader._lateral_join,
    "Union": Reader._union,
    "Intersect": Reader._set,
    "Except": Reader._set,
    "Expand": Reader._expand,
    "Generate": Reader._generate,
    "MergeRows": Reader._merge,
    "WithCTE": Reader._with,
    "CTERelationRef": Reader._reference,
    "UnionLoop": Reader._loop,
    "UnionLoopRef": Reader._loop_reference,
    **dict.fromkeys(_SAME, Reader._same),
    **dict.fromkeys(_MADE, Reader._made),
    **dict.fromkeys(_FUNCTIONS, Reader._function),
}
