"""Generators (`explode` and the like): the columns they give, and how many rows."""

from headwater.spark.expression_rules import branches
from headwater.spark.kinds import JOIN
from headwater.spark.nested import field_names
from headwater.spark.tree import Node
from headwater.spark.values import Deps, Value, derived, used

# They give the same number of rows for every row.
_ONE_ROW = {"Stack", "JsonTuple"}


def row_count(generator: Node) -> Deps:
    """A row comes out as often as its array is long, and not at all if that is empty: a join with its elements.
    An array that is written down in the query is always as long."""
    if generator.kind == "GeneratorOuter":
        return row_count(generator.children[0])
    if generator.kind in _ONE_ROW or all(child.kind in ("CreateArray", "CreateMap") for child in generator.children):
        return {}
    return used([child.value for child in generator.children], JOIN)


def generated(generator: Node, count: int) -> list[Value]:
    kind, children = generator.kind, generator.children
    if kind == "GeneratorOuter":
        return generated(children[0], count)
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
        return [branches(cells[i::count]) for i in range(count)]
    return [whole] * count
