"""Spark's plans as it writes them in JSON: nodes in pre-order, each with the number of its children.

One call to the JVM gives the whole plan with all its expressions, where walking it object by object
would take thousands.
"""

from typing import Any

Json = dict[str, Any]
Listed = list[Json]  # one tree, in pre-order


class Node:
    """An expression or an operator. The values of expressions are filled in from the leaves upwards."""

    __slots__ = ("children", "fields", "kind", "value")

    def __init__(self, fields: Json, children: "list[Node]") -> None:
        self.kind: str = fields["class"].rpartition(".")[2].removesuffix("$")
        self.fields = fields
        self.children = children
        self.value: Any = None

    def has(self, kind: str) -> bool:
        """Whether a node of this kind is in the tree."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node.kind == kind:
                return True
            waiting += node.children
        return False

    @property
    def id(self) -> int:
        expression_id: int = self.fields["exprId"]["id"]
        return expression_id

    @property
    def name(self) -> str:
        return str(self.fields.get("name", ""))


def parse(listed: Listed) -> Node:
    """Without recursion, as a long chain of `withColumn` is a deep tree."""
    return nodes(listed)[0]


def nodes(listed: Listed) -> list[Node]:
    """All nodes of a tree in pre-order: read backwards, children come before their parents."""
    pre_order: list[Node] = []
    waiting: list[Node] = []
    for fields in reversed(listed):
        children = [waiting.pop() for _ in range(fields["num-children"])]
        node = Node(fields, children)
        pre_order.append(node)
        waiting.append(node)
    pre_order.reverse()
    return pre_order


def is_tree(field: Any) -> bool:
    return isinstance(field, list) and bool(field) and isinstance(field[0], dict) and "class" in field[0]


def trees(field: Any) -> list[Listed]:
    """The trees in a field that holds one, a list of them, or none."""
    if is_tree(field):
        return [field]
    return [item for item in field if is_tree(item)] if isinstance(field, list) else []
