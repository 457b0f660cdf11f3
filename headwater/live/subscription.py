"""What one subscriber wants to hear of: some namespaces, or the surroundings of a node."""

from collections import deque
from collections.abc import Iterable

from headwater.ids import Node
from headwater.live.update_json import Message
from headwater.live.updates import GraphNews
from headwater.model.entities import Job
from headwater.model.state import State


class Wanted:
    def __init__(self, namespaces: frozenset[str] = frozenset(), around: "Surroundings | None" = None) -> None:
        self._namespaces, self._around = namespaces, around

    @property
    def everything(self) -> bool:
        return not self._namespaces and self._around is None

    def takes(self, message: Message, graph: GraphNews | None) -> bool:
        if self._around is not None:
            if graph is not None:
                self._around.grow(graph)
            if not self._around.touches(message.nodes):
                return False
        return not self._namespaces or not self._namespaces.isdisjoint(message.namespaces)


class Surroundings:
    """The nodes connected with one, whatever the direction, as far as `depth` jobs away. They
    grow with every edge that attaches to them; what was in stays in."""

    def __init__(self, state: State, start: Node, depth: int) -> None:
        self._state, self._depth = state, depth
        self._start = state.aliases.canonical(start)
        self._distance: dict[Node, int] = {}
        self._reach([(self._start, 0)])

    def touches(self, nodes: frozenset[Node]) -> bool:
        return any(node in self._distance for node in nodes)

    def grow(self, graph: GraphNews) -> None:
        known = self._distance
        found = [(new, known[old]) for old, new in graph.moved if old in known]
        for src, dst in graph.linked:
            found += [
                (other, known[node] + self._step(node, other))
                for node, other in ((src, dst), (dst, src))
                if node in known
            ]
        self._reach(found)

    def _reach(self, found: Iterable[tuple[Node, int]]) -> None:
        """Takes in nodes and all that lies beyond them; only those are visited that come nearer."""
        state, known, canonical = self._state, self._distance, self._state.aliases.canonical
        frontier = deque(found)
        while frontier:
            node, distance = frontier.popleft()
            if distance > self._depth or known.get(node, distance + 1) <= distance:
                continue
            known[node] = distance
            for member in state.aliases.members(node):
                for edge in (*state.nodes[member].into, *state.nodes[member].out):
                    other = canonical(edge.dst if edge.src == member else edge.src)
                    step = self._step(node, other)
                    if step:
                        frontier.append((other, distance + step))
                    else:  # nearest first, so that hardly any node is visited twice
                        frontier.appendleft((other, distance))

    def _step(self, node: Node, other: Node) -> int:
        """Depth counts jobs, as in `/lineage`: those at the dataset that one asks for are at hand."""
        at_hand = node == self._start and not isinstance(self._state.nodes[node], Job)
        return 1 if isinstance(self._state.nodes[other], Job) and not at_hand else 0
