"""What the rows of a plan are made of, operator by operator.

The result of an operator is its columns, each with a value, and what its rows as a whole depend on: filters, joins,
groups, orders. `operators` has a rule for each. An operator without one makes all its columns depend on all that
comes in, and is listed as unknown.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from headwater.spark.expressions import evaluate, value_of
from headwater.spark.tree import Listed, Node, parse, trees
from headwater.spark.values import Deps, Source, Value, derived, used

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


class Scope:
    """The columns that expressions of one operator can name; outside it those of the query that it is in."""

    def __init__(self, reader: "PlanReader", inputs: Iterable[Rows], outer: "Scope | None") -> None:
        self._reader, self._outer = reader, outer
        self._known = {c.id: c.value for rows in inputs for c in rows.columns}

    def column(self, node: Node) -> Value:
        value = self._known.get(node.id)
        if value is not None:
            return value
        if self._outer is not None:
            return self._outer.column(node)
        self._reader.not_known(f"column {node.name}: nothing below gives it")
        return derived(self._known.values())

    def outer(self, node: Node) -> Value:
        return (self._outer or self).column(node)

    def is_topic(self, source: Source) -> bool:
        return (source.namespace, source.name) in self._reader.topics

    def add_decoded(self, topic: Source, fields: dict[str, str]) -> None:
        self._reader.decoded.setdefault((topic.namespace, topic.name), {}).update(fields)

    def add_encoded(self, fields: dict[str, str]) -> None:
        self._reader.encoded.update(fields)

    def query(self, plan: Listed) -> tuple[list[Value], Deps]:
        rows = self._reader.read(parse(plan), self)
        return rows.values(), rows.depend


class PlanReader:
    """Reads a plan. `leaves`: what each relation is, by the id of its first column. `ask_field`: asks Spark for a field
    of an operator that the plan's JSON does not have."""

    def __init__(
        self,
        leaves: Mapping[int, Leaf],
        rules: Mapping[str, "OperatorRule"],
        other: "OperatorRule",
        ask_field: Callable[[Node, str], Any] | None = None,
    ) -> None:
        """`other`: the rule for operators without one."""
        self.leaves = leaves
        self._rules, self._other, self._ask_field = rules, other, ask_field
        self.topics = {dataset for leaf in leaves.values() if leaf.topic for dataset in leaf.datasets}
        self.unknown: list[str] = []
        self.decoded: dict[Dataset, dict[str, str]] = {}  # the records of topics: fields and their types
        self.encoded: dict[str, str] = {}
        self.counters: set[tuple[str, str]] = set()  # of `observe`: its name, and the measure's
        self.cte_rows: dict[int, Rows] = {}
        self.loop_rows: dict[int, Rows] = {}  # of recursive queries

    def not_known(self, what: str) -> None:
        if what not in self.unknown:
            self.unknown.append(what)

    def read(self, node: Node, outer: Scope | None = None) -> Rows:
        """Long chains of operators with one child each are followed in a loop: only joins nest."""
        chain = [node]
        while len(chain[-1].children) == 1 and chain[-1].kind not in ("WithCTE", "UnionLoop"):
            chain.append(chain[-1].children[0])
        last = chain.pop()
        rule = self._rules.get(last.kind, self._other)
        inputs = [] if last.kind in ("WithCTE", "UnionLoop") else [self.read(c, outer) for c in last.children]
        rows = rule(self, last, inputs, outer)
        below = last
        while chain:
            node = chain.pop()
            if not _is_time_window_filter(node, below, chain[-1] if chain else None):
                rows = self._rules.get(node.kind, self._other)(self, node, [rows], outer)
            below = node
        return rows

    # For the rules

    def field(self, node: Node, name: str) -> Any:
        """Lists that were Python's come out of Spark's JSON as null, and have to be asked for."""
        field = node.fields.get(name)
        if field is None and self._ask_field is not None:
            field = node.fields[name] = self._ask_field(node, name)
        if field is None:
            self.not_known(f"{node.kind}: its {name} cannot be read")
        return field or []

    def trees(self, node: Node, name: str) -> list[Listed]:
        return trees(self.field(node, name))

    def scope(self, inputs: Iterable[Rows], outer: Scope | None) -> Scope:
        return Scope(self, inputs, outer)

    def columns(self, expressions: list[Listed], scope: Scope) -> list[Column]:
        roots = [evaluate(listed, scope) for listed in expressions]
        return [Column(node.id, node.name, node.value) for node in roots]

    def used(self, expressions: list[Listed], kind: int, scope: Scope) -> Deps:
        return used([value_of(listed, scope) for listed in expressions], kind)


OperatorRule = Callable[[PlanReader, Node, list[Rows], Scope | None], Rows]
"""Gets an operator, the rows that come in, and the scope of the query around; gives the rows that come out."""


def _is_time_window_filter(node: Node, below: Node, above: Node | None) -> bool:
    """`window()` and `session_window()` add a filter on the time column, which is not in the query."""
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
