"""What the rules for expressions share: a rule gets a node, whose arguments have their values, and gives its value."""

from collections.abc import Callable
from typing import Protocol

from headwater.spark.tree import Listed, Node
from headwater.spark.values import Deps, Source, Value, either


class ExpressionScope(Protocol):
    """What an expression can refer to."""

    def column(self, node: Node) -> Value: ...
    def outer(self, node: Node) -> Value: ...
    def is_topic(self, source: Source) -> bool: ...
    def add_decoded(self, topic: Source, fields: dict[str, str]) -> None:
        """The records of a topic have these fields, with their types."""

    def add_encoded(self, fields: dict[str, str]) -> None:
        """The query makes records with these fields."""

    def query(self, plan: Listed) -> tuple[list[Value], Deps]:
        """The columns of a subquery, and what its rows depend on."""


Rule = Callable[[Node, ExpressionScope], Value]


def values_of(nodes: list[Node]) -> list[Value]:
    return [node.value for node in nodes]


def is_null(node: Node) -> bool:
    while node.kind == "Cast":
        node = node.children[0]
    return node.kind == "TypedNullLiteral" or (node.kind == "Literal" and node.fields.get("value") is None)


def branches(chosen: list[Node]) -> Value:
    """One of these; NULL says nothing about where a value comes from."""
    filled = [node for node in chosen if not is_null(node)]
    values = [node.value for node in filled if node.value.own or node.value.has_inside()]
    return either(values, constant=len(values) < len(filled))
