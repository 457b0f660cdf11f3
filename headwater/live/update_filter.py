"""Which updates one subscriber gets: those of some namespaces, or of the surroundings of a node."""

from collections import deque
from collections.abc import Iterable

from headwater.ids import Node
from headwater.live.update_json import EncodedUpdate
from headwater.live.updates import GraphUpdate
from headwater.model.entities import Job
from headwater.model.state import State


class UpdateFilter:
    def __init__(self, namespaces: frozenset[str] = frozenset(), around: "Surroundings | None" = None) -> None:
        self._namespaces, self._around = namespaces, around

    @property
    def everything(self) -> bool:
        return not self._namespaces and self._around is None

    def matches(self, update: EncodedUpdate, graph: GraphUpdate | None) -> bool:
        if self._around is not None:
            if graph is not None:
                self._around.grow(graph)
            if not self._around.touches(update.nodes):
                return False
        return not self._namespaces or not self._namespaces.isdisjoint(update.namespaces)


class Surroundings:
    """The nodes connected with one, in either direction, up to `depth` jobs away. They grow with
    every edge that attaches to them, and never shrink."""

    def __init__(self, state: State, start: Node, depth: int) -> None:
        self._state, self._depth = state, depth
        self._start = state.aliases.canonical(start)
        self._distance: dict[Node, int] = {}
        self._reach([(self._start, 0)])

    def touches(self, nodes: frozenset[Node]) -> bool:
        return any(node in self._distance for node in nodes)

    def grow(self, graph: GraphUpdate) -> None:
        distances = self._distance
        nodes = [(new, distances[old]) for old, new in graph.moved if old in distances]
        for src, dst in graph.linked:
            nodes += [
                (other, distances[node] + self._step(node, other))
                for node, other in ((src, dst), (dst, src))
                if node in distances
            ]
        self._reach(nodes)

    def _reach(self, nodes: Iterable[tuple[Node, int]]) -> None:
        """Adds nodes and all that lies beyond them; visits only those that come nearer."""
        state, distances, canonical = self._state, self._distance, self._state.aliases.canonical
        frontier = deque(nodes)
        while frontier:
            node, distance = frontier.popleft()
            if distance > self._depth or distances.get(node, distance + 1) <= distance:
                continue
            distances[node] = distance
            for member in state.aliases.members(node):
                for edge in (*state.nodes[member].into, *state.nodes[member].out):
                    other = canonical(edge.dst if edge.src == member else edge.src)
                    step = self._step(node, other)
                    if step:
                        frontier.append((other, distance + step))
                    else:  # nearest first, so that hardly any node is visited twice
                        frontier.appendleft((other, distance))

    def _step(self, node: Node, other: Node) -> int:
        """Depth counts jobs, as in `/lineage`: the jobs next to the start are at depth 0 if that is a dataset."""
        at_start = node == self._start and not isinstance(self._state.nodes[node], Job)
        return 1 if isinstance(self._state.nodes[other], Job) and not at_start else 0
