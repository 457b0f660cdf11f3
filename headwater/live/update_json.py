"""A note put into words: the JSON that subscribers get, and what it concerns."""

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from headwater.ids import Micros, Node, Position, dataset_node_id, job_node_id
from headwater.live.updates import Note, Pair
from headwater.model.entities import Job, Run
from headwater.model.state import State
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes.common import EdgeRef, NodeRef
from headwater.shapes.live import LiveChange, LiveHello, LiveResync, LiveRun

_encode = msgspec.json.Encoder().encode


class Message(msgspec.Struct, frozen=True):
    position: Position
    text: bytes  # as it goes over the wire
    nodes: frozenset[Node]  # all that it names
    namespaces: frozenset[str]  # of these, by any of their names


def message(state: State, note: Note) -> Message:
    nodes = frozenset(_concerned(note))
    namespaces = frozenset(state.nodes[m].namespace for n in nodes for m in state.aliases.members(n))
    return Message(note.position, frame("change", note.position, change(state, note)), nodes, namespaces)


def frame(kind: str, position: Position, data: LiveChange | LiveHello | LiveResync) -> bytes:
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (position, kind.encode(), _encode(data))


def _concerned(note: Note) -> Iterator[Node]:
    yield from (n for n in (note.job, note.dataset, note.run[1] if note.run else None) if n is not None)
    yield from note.inputs
    yield from note.outputs
    graph = note.graph
    if graph is not None:
        for nodes in (graph.added, graph.removed, graph.schemas, graph.columns, graph.changed):
            yield from nodes
        for pairs in (graph.linked, graph.unlinked, graph.moved):
            for pair in pairs:
                yield from pair


def change(state: State, note: Note) -> LiveChange:
    def node_id(node: Node) -> str:
        entity = state.nodes[node]
        made = job_node_id if isinstance(entity, Job) else dataset_node_id
        return made(entity.namespace, entity.name)

    def reference(node: Node) -> NodeRef:
        entity = state.nodes[node]
        kind = "JOB" if isinstance(entity, Job) else "DATASET"
        return NodeRef(node_id(node), kind, entity.namespace, entity.name)

    def ids(nodes: Iterable[Node]) -> list[str]:
        return [node_id(node) for node in dict.fromkeys(nodes)]

    def edges(pairs: Iterable[Pair]) -> list[EdgeRef]:
        return [EdgeRef(node_id(src), node_id(dst)) for src, dst in pairs]

    told = LiveChange(
        position=note.position,
        eventTime=to_datetime(note.time),
        eventType="EDIT" if note.kind is None else note.kind.name,
        run=_run(note, node_id(note.run[1])) if note.run is not None else None,
        job=None if note.job is None else node_id(note.job),
        dataset=None if note.dataset is None else node_id(note.dataset),
        inputs=ids(note.inputs),
        outputs=ids(note.outputs),
    )
    graph = note.graph
    if graph is not None:
        told.addedNodes = [reference(node) for node in graph.added]
        told.removedNodes = ids(graph.removed)
        told.addedEdges, told.removedEdges = edges(graph.linked), edges(graph.unlinked)
        told.schemas, told.columns, told.changed = ids(graph.schemas), ids(graph.columns), ids(graph.changed)
    return told


def _run(note: Note, job: str) -> LiveRun:
    assert note.run is not None
    run_id, node, first, started, active, ended = note.run
    run = Run(0, run_id, node, first=first, started=started, active=active, ended=ended)
    before = None
    if note.run_before is not None:
        active, ended = note.run_before
        before = Run(0, run_id, node, active=active, ended=ended).state
    return LiveRun(run_id, job, run.state, before, _moment(run.started_at), _moment(run.ended_at))


def _moment(at: Micros | None) -> datetime | None:
    return None if at is None else to_datetime(at)
