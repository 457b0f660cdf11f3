"""What changed between two moments."""

from datetime import datetime

import msgspec

from headwater.shapes.common import EdgeRef, NodeRef


class NodesChanged(msgspec.Struct):
    added: list[NodeRef]
    removed: list[NodeRef]


class EdgesChanged(msgspec.Struct):
    """Between jobs and datasets, or between columns; by node ids."""

    added: list[EdgeRef]
    removed: list[EdgeRef]


class FieldRef(msgspec.Struct, gc=False):
    name: str
    type: str | None


class FieldRetyped(msgspec.Struct, gc=False):
    name: str
    before: str | None
    after: str | None


class SchemaChange(msgspec.Struct):
    nodeId: str
    at: datetime  # when the new schema was first reported
    added: list[FieldRef]
    removed: list[FieldRef]
    retyped: list[FieldRetyped]


class Diff(msgspec.Struct, rename={"since": "from", "until": "to"}):
    since: datetime
    until: datetime
    nodeId: str | None  # what the comparison is around; None for everything
    nodes: NodesChanged
    edges: EdgesChanged
    columns: EdgesChanged
    schemas: list[SchemaChange]
    truncated: bool
