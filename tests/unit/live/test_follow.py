"""Whoever knows the graph at some position and follows the stream knows it ever after."""

from collections.abc import Iterable
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.ids import dataset_node_id, job_node_id
from headwater.live import hub as hub_module
from headwater.model.entities import Dataset
from headwater.shapes.common import EdgeRef
from tests.support import world as worlds
from tests.support.examples import examples
from tests.support.live import LiveWorld, StreamMessage, read_all
from tests.support.strategies import events

_T = TypeVar("_T")


def what_is(world: LiveWorld) -> dict[str, Any]:
    """What the server has, by the names that are shown."""
    state, canonical = world.state, world.state.aliases.canonical

    def node_id(node: Any) -> str:
        entity = state.nodes[canonical(node)]
        made = dataset_node_id if isinstance(entity, Dataset) else job_node_id
        return made(entity.namespace, entity.name)

    ends = [(node_id(e.src), node_id(e.dst)) for e in state.edges.values() if not state.is_gone(e)]
    seen = [e.node for e in state.nodes if e.first is not None and not state.is_hidden(e.node)]
    return {
        "nodes": set(map(node_id, seen)),
        "edges": {pair for pair in ends if pair[0] != pair[1]},
        "runs": {run.id: (run.state, node_id(run.job)) for run in state.runs.values() if run.first is not None},
    }


class Client:
    """Queries once, then follows; queries again after a resync."""

    def __init__(self, world: LiveWorld) -> None:
        self._world = world
        self._ask()
        self.position = int(world.hub.last)
        self._subscription = world.subscribe()

    def _ask(self) -> None:
        state = what_is(self._world)
        self.nodes, self.edges, self.runs = state["nodes"], state["edges"], state["runs"]

    @property
    def known(self) -> dict[str, Any]:
        return {"nodes": self.nodes, "edges": self.edges, "runs": self.runs}

    def reconnect(self) -> None:
        self._subscription = self._world.subscribe(after=self.position)

    def read(self) -> None:
        for message in read_all(self._subscription):
            assert message.id > self.position, "sent twice, or out of order"
            self._take(message)
            self.position = message.id

    def _take(self, message: StreamMessage) -> None:
        if message.kind == "resync":
            self._ask()
            return
        change = message.data
        assert change.position == message.id == self.position + 1, "a gap"
        self.nodes = _changed(self.nodes, {n.nodeId for n in change.addedNodes}, set(change.removedNodes))
        self.edges = _changed(self.edges, _pairs(change.addedEdges), _pairs(change.removedEdges))
        if change.run is not None:
            before = self.runs.get(change.run.id)
            assert change.run.before == (before[0] if before else None)
            self.runs = {**self.runs, change.run.id: (change.run.state, change.run.job)}


def _changed(known: set[_T], added: set[_T], removed: set[_T]) -> set[_T]:
    assert not known & added, "reported as new, but known"
    assert removed <= known, "reported as gone, but not known"
    return known - removed | added


def _pairs(edges: Iterable[EdgeRef]) -> set[tuple[str, str]]:
    return {(e.origin, e.destination) for e in edges}


STAY, LEAVE, DOZE = "stay", "leave", "doze"


@examples(150)
@given(
    before=st.lists(events, max_size=1),
    batches=st.lists(st.tuples(events, st.sampled_from([STAY, LEAVE, DOZE])), min_size=1, max_size=5),
    ring=st.sampled_from([2, 1000]),
)
def test_a_client_that_follows_knows_what_the_server_has(
    before: list[Any], batches: list[Any], ring: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "RING_EVENTS", ring)
    monkeypatch.setattr(hub_module, "_TRIMMED_AT_ONCE", 1)
    world = LiveWorld(event for batch in before for event in batch)
    client = Client(world)
    for batch, then in batches:
        world.feed(*batch)
        if then == DOZE:
            continue
        if then == LEAVE:
            client.reconnect()
        client.read()
        assert client.known == what_is(world)
    client.read()
    assert client.known == what_is(world)
    worlds.close_all()
