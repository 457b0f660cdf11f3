"""The JSON of an update, as subscribers get it, and what it is about."""

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from headwater.ids import Micros, Node, Position, dataset_node_id, job_node_id
from headwater.live.updates import Pair, Update
from headwater.model.entities import Job, Run
from headwater.model.state import State
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes.common import EdgeRef, NodeRef
from headwater.shapes.live import LiveChange, LiveHello, LiveResync, LiveRun

_encode = msgspec.json.Encoder().encode


class EncodedUpdate(msgspec.Struct, frozen=True):
    position: Position
    frame: bytes  # as it goes over the wire
    nodes: frozenset[Node]  # all that it names
    namespaces: frozenset[str]  # of these, by any of their names


def encode_update(state: State, update: Update) -> EncodedUpdate:
    nodes = frozenset(_nodes(update))
    namespaces = frozenset(state.nodes[m].namespace for n in nodes for m in state.aliases.members(n))
    return EncodedUpdate(
        update.position, encode_frame("change", update.position, change_json(state, update)), nodes, namespaces
    )


def encode_frame(kind: str, position: Position, data: LiveChange | LiveHello | LiveResync) -> bytes:
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (position, kind.encode(), _encode(data))


def _nodes(update: Update) -> Iterator[Node]:
    yield from (n for n in (update.job, update.dataset, update.run[1] if update.run else None) if n is not None)
    yield from update.inputs
    yield from update.outputs
    graph = update.graph
    if graph is not None:
        for nodes in (graph.added, graph.removed, graph.schemas, graph.columns, graph.changed):
            yield from nodes
        for pairs in (graph.linked, graph.unlinked, graph.moved):
            for pair in pairs:
                yield from pair


def change_json(state: State, update: Update) -> LiveChange:
    def node_id(node: Node) -> str:
        entity = state.nodes[node]
        id_of = job_node_id if isinstance(entity, Job) else dataset_node_id
        return id_of(entity.namespace, entity.name)

    def reference(node: Node) -> NodeRef:
        entity = state.nodes[node]
        kind = "JOB" if isinstance(entity, Job) else "DATASET"
        return NodeRef(node_id(node), kind, entity.namespace, entity.name)

    def ids(nodes: Iterable[Node]) -> list[str]:
        return [node_id(node) for node in dict.fromkeys(nodes)]

    def edges(pairs: Iterable[Pair]) -> list[EdgeRef]:
        return [EdgeRef(node_id(src), node_id(dst)) for src, dst in pairs]

    change = LiveChange(
        position=update.position,
        eventTime=to_datetime(update.time),
        eventType="EDIT" if update.kind is None else update.kind.name,
        run=_run(update, node_id(update.run[1])) if update.run is not None else None,
        job=None if update.job is None else node_id(update.job),
        dataset=None if update.dataset is None else node_id(update.dataset),
        inputs=ids(update.inputs),
        outputs=ids(update.outputs),
    )
    graph = update.graph
    if graph is not None:
        change.addedNodes = [reference(node) for node in graph.added]
        change.removedNodes = ids(graph.removed)
        change.addedEdges, change.removedEdges = edges(graph.linked), edges(graph.unlinked)
        change.schemas, change.columns, change.changed = ids(graph.schemas), ids(graph.columns), ids(graph.changed)
    return change


def _run(update: Update, job: str) -> LiveRun:
    assert update.run is not None
    run_id, node, first, started, active, ended = update.run
    run = Run(0, run_id, node, first=first, started=started, active=active, ended=ended)
    before = None
    if update.run_before is not None:
        active, ended = update.run_before
        before = Run(0, run_id, node, active=active, ended=ended).state
    return LiveRun(run_id, job, run.state, before, _moment(run.started_at), _moment(run.ended_at))


def _moment(at: Micros | None) -> datetime | None:
    return None if at is None else to_datetime(at)
