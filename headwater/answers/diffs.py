"""What changed between two moments → shapes, with the schemas reported in between."""

import asyncio
import heapq
from collections.abc import Callable, Collection
from typing import TypeVar

from headwater.answers.history import History
from headwater.answers.render import Renderer
from headwater.answers.sliced import run_sliced
from headwater.graph.columns import Column
from headwater.graph.diff import Pair, diff
from headwater.ids import DELETED, ContentId, Micros, Node, dataset_node_id, field_node_id, job_node_id
from headwater.interpret.datasets import SCHEMAS
from headwater.model.entities import Job, Register
from headwater.openlineage.event import stamp_time
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes.common import EdgeRef, NodeRef
from headwater.shapes.diff import Diff, EdgesChanged, FieldRef, FieldRetyped, NodesChanged, SchemaChange

_DATASETS_PER_SLICE = 200

_Registers = list[tuple[str, Register]]
_T = TypeVar("_T")
_Shown = TypeVar("_Shown", NodeRef, EdgeRef, SchemaChange)


class DiffWriter:
    def __init__(self, renderer: Renderer, history: History) -> None:
        self._renderer, self._state, self._history = renderer, renderer.state, history

    async def diff(self, before: Micros, after: Micros, start: Node | None, depth: int, limit: int) -> Diff:
        contents = self._renderer.contents
        difference = await run_sliced(diff(self._state, contents, before, after, start, depth, limit))
        schemas = await self._schemas(difference.stayed, before, after)
        cut = _Cut(limit)
        return Diff(
            to_datetime(before),
            to_datetime(after),
            None if start is None else self._node_id(start),
            NodesChanged(cut(difference.nodes_added, self._node), cut(difference.nodes_removed, self._node)),
            EdgesChanged(cut(difference.edges_added, self._edge), cut(difference.edges_removed, self._edge)),
            EdgesChanged(
                cut(difference.columns_added, self._column_edge), cut(difference.columns_removed, self._column_edge)
            ),
            cut(list(schemas), schemas.__getitem__),
            cut.truncated,
        )

    # Names

    def _node_id(self, node: Node) -> str:
        entity = self._state.nodes[node]
        make = job_node_id if isinstance(entity, Job) else dataset_node_id
        return make(entity.namespace, entity.name)

    def _node(self, node: Node) -> NodeRef:
        entity = self._state.nodes[node]
        kind = "JOB" if isinstance(entity, Job) else "DATASET"
        return NodeRef(self._node_id(node), kind, entity.namespace, entity.name)

    def _edge(self, pair: Pair) -> EdgeRef:
        return EdgeRef(self._node_id(pair[0]), self._node_id(pair[1]))

    def _column_edge(self, pair: tuple[Column, Column]) -> EdgeRef:
        return EdgeRef(self._column_id(pair[0]), self._column_id(pair[1]))

    def _column_id(self, column: Column) -> str:
        dataset = self._state.nodes[column[0]]
        return field_node_id(dataset.namespace, dataset.name, column[1])

    # Schemas

    async def _schemas(self, datasets: set[Node], before: Micros, after: Micros) -> dict[Node, SchemaChange]:
        early = min(before, after)
        suspects = [node for node in datasets if self._reported_since(node, early)]
        members = [member for node in suspects for member in self._state.aliases.members(node)]
        past = await self._history.past_schemas(members) if members else {}
        changes: dict[Node, SchemaChange] = {}
        for count, node in enumerate(suspects, 1):
            reported = [one for member in self._state.aliases.members(node) for one in self._reported(member, past)]
            change = self._schema_change(node, schema_at(reported, before), schema_at(reported, after), after)
            if change is not None:
                changes[node] = change
            if count % _DATASETS_PER_SLICE == 0:
                await asyncio.sleep(0)
        return changes

    def _reported_since(self, dataset: Node, at: Micros) -> bool:
        """Whether its present schema is younger than that; most are older, and need no look into the past."""
        for member in self._state.aliases.members(dataset):
            facets = self._state.nodes[member].facets
            for name in SCHEMAS:
                if name in facets and stamp_time(facets[name][0]) > at:
                    return True
        return False

    def _reported(self, member: Node, past: dict[Node, _Registers]) -> _Registers:
        return [*past.get(member, ()), *self._state.nodes[member].facets.items()]

    def _schema_change(
        self, node: Node, was: Register | None, now: Register | None, after: Micros
    ) -> SchemaChange | None:
        old, new = (None if register is None else register[2] for register in (was, now))
        if old == new:
            return None
        fields, other = self._fields(old), self._fields(new)
        added = [FieldRef(name, kind) for name, kind in other.items() if name not in fields]
        removed = [FieldRef(name, kind) for name, kind in fields.items() if name not in other]
        retyped = [FieldRetyped(n, kind, other[n]) for n, kind in fields.items() if n in other and other[n] != kind]
        if not (added or removed or retyped):
            return None
        at = after if now is None else stamp_time(now[0])
        return SchemaChange(self._node_id(node), to_datetime(at), added, removed, retyped)

    def _fields(self, schema: ContentId | None) -> dict[str, str | None]:
        return {} if schema is None else self._renderer.datasets.types_of(schema)


def schema_at(reported: _Registers, at: Micros) -> Register | None:
    """The schema that counted at a moment: of writers before readers, then the latest by then."""
    for facet in SCHEMAS:
        candidates = [register for name, register in reported if name == facet and stamp_time(register[0]) <= at]
        if candidates:
            best = max(candidates, key=lambda r: (min(stamp_time(r[1]), at), r[0], r[2]))
            if best[2] != DELETED:
                return best
    return None


class _Cut:
    """Lists no longer than the limit, in order; remembers whether one was cut."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.truncated = False

    def __call__(self, things: Collection[_T], show: Callable[[_T], _Shown]) -> list[_Shown]:
        if len(things) > self._limit:
            self.truncated = True
            things = heapq.nsmallest(self._limit, things)  # type: ignore[type-var]
        return sorted(map(show, things), key=_place)


def _place(thing: _Shown) -> tuple[str, str]:
    return (thing.origin, thing.destination) if isinstance(thing, EdgeRef) else (thing.nodeId, "")
