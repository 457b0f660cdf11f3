"""Table level: neighbourhoods, upstream, downstream, paths.

Depth counts jobs: one step goes from a dataset through a job to the datasets behind it.
Datasets that are one (symlinks) appear as their canonical node.
"""

from collections import deque
from collections.abc import Iterator

import msgspec

from headwater.graph.flow import Flow
from headwater.graph.when import Always, When
from headwater.ids import Node
from headwater.model.entities import Dataset, Edge, Job
from headwater.model.state import State

UPSTREAM, DOWNSTREAM, BOTH, CONNECTED = "upstream", "downstream", "both", "connected"
DIRECTIONS = (CONNECTED, BOTH, UPSTREAM, DOWNSTREAM)


class Subgraph(msgspec.Struct):
    """Nodes with their distance from the start, and the edges between them."""

    nodes: dict[Node, int] = msgspec.field(default_factory=dict)
    edges: dict[tuple[Node, Node], Edge] = msgspec.field(default_factory=dict)

    def add(self, other: "Subgraph") -> None:
        for node, distance in other.nodes.items():
            self.nodes[node] = min(distance, self.nodes.get(node, distance))
        self.edges.update(other.edges)


def neighbourhood(
    state: State, start: Node, depth: int, direction: str = CONNECTED, when: When | None = None
) -> Subgraph:
    """What lies around a node. `connected` also takes siblings in: all that shares a dataset."""
    when = when or Always()
    walk = _Walk(state, when)
    start = state.aliases.canonical(start)
    if direction == CONNECTED:
        return walk.connected(start, depth)
    found = Subgraph({start: 0})
    if direction in (UPSTREAM, BOTH):
        found.add(walk.directed(start, depth, up=True))
    if direction in (DOWNSTREAM, BOTH):
        found.add(walk.directed(start, depth, up=False))
    return found


def paths(state: State, start: Node, end: Node, when: When | None = None) -> Subgraph:
    """Every node and edge on some way from `start` down to `end`; empty if there is none."""
    when = when or Always()
    deep = len(state.nodes)
    walk = _Walk(state, when)
    start, end = state.aliases.canonical(start), state.aliases.canonical(end)
    down = walk.directed(start, deep, up=False)
    if end not in down.nodes:
        return Subgraph()
    up = walk.directed(end, deep, up=True)
    return Subgraph(
        {node: down.nodes[node] for node in down.nodes if node in up.nodes},
        {pair: edge for pair, edge in down.edges.items() if pair in up.edges},
    )


class _Walk:
    def __init__(self, state: State, when: When) -> None:
        self._state, self._when = state, when
        self._canonical = state.aliases.canonical
        self._flows: dict[Node, Flow] = {}

    def _flow(self, job: Job) -> Flow:
        flow = self._flows.get(job.node)
        if flow is None:
            flow = self._flows[job.node] = Flow(self._state, job, self._when)
        return flow

    def _edges(self, dataset: Node, *, up: bool) -> Iterator[Edge]:
        state = self._state
        for member in state.aliases.members(dataset):
            entity = state.nodes[member]
            for edge in entity.into if up else entity.out:
                if edge.src != edge.dst and self._when.alive(state, edge):
                    yield edge

    def directed(self, start: Node, depth: int, *, up: bool) -> Subgraph:
        found = Subgraph({start: 0})
        nodes, edges, canonical = found.nodes, found.edges, self._canonical
        # What to expand next, with the node that led there: which side of a job is reached
        # depends on the dataset that one comes from. Nearest first, so distances are right.
        start_from: tuple[Node, Node | None] = (start, None)
        expanded = {start_from}
        frontier = deque([start_from])
        while frontier:
            node, came_from = frontier.popleft()
            at_job = isinstance(self._state.nodes[node], Job)
            for edge in self._steps(node, came_from, up):
                src, dst = canonical(edge.src), canonical(edge.dst)
                other = src if up else dst
                to_job = isinstance(self._state.nodes[other], Job)
                # A job's datasets are as far as the job itself.
                step = 0 if at_job and not to_job else 1
                distance = nodes[node] + step
                if distance > depth:
                    continue
                edges.setdefault((src, dst), edge)
                nodes[other] = min(distance, nodes.get(other, distance))
                following = (other, node if to_job else None)
                if following not in expanded:
                    expanded.add(following)
                    if step:
                        frontier.append(following)
                    else:
                        frontier.appendleft(following)
        return found

    def _steps(self, node: Node, came_from: Node | None, up: bool) -> Iterator[Edge]:
        entity = self._state.nodes[node]
        if isinstance(entity, Dataset):
            yield from self._edges(node, up=up)
            return
        flow = self._flow(entity)
        if came_from is None or isinstance(self._state.nodes[came_from], Job):
            yield from flow.inputs if up else flow.outputs
        elif up:
            seen: set[int] = set()
            for output in flow.outputs:
                if self._canonical(output.dst) == came_from:
                    for edge in flow.sources(output):
                        if edge.key not in seen:
                            seen.add(edge.key)
                            yield edge
        else:
            yield from flow.targets(came_from)

    def connected(self, start: Node, depth: int) -> Subgraph:
        """Jobs that share datasets with jobs …, `depth` times, whatever the direction."""
        state, canonical, alive = self._state, self._canonical, self._when.alive
        found = Subgraph({start: 0})
        nodes, edges = found.nodes, found.edges
        jobs = [start] if isinstance(state.nodes[start], Job) else self._touching(found, start)
        seen_jobs = set(jobs)
        distance = 0
        while jobs:
            beyond: list[Node] = []
            for node in jobs:
                nodes.setdefault(node, distance)
                job = state.nodes[node]
                for edge in (*job.into, *job.out):
                    if alive(state, edge):
                        src, dst = edge.src, edge.dst
                        if src == node:
                            other = dst = canonical(dst)
                        else:
                            other = src = canonical(src)
                        edges[src, dst] = edge
                        if other not in nodes:
                            nodes[other] = distance
                            beyond.append(other)
            distance += 1
            if distance > depth:
                break
            jobs = []
            for other in beyond:
                candidates = (other,) if isinstance(state.nodes[other], Job) else self._touching(found, other)
                for candidate in candidates:
                    if candidate not in seen_jobs:
                        seen_jobs.add(candidate)
                        jobs.append(candidate)
        return found

    def _touching(self, found: Subgraph, dataset: Node) -> list[Node]:
        """The jobs at a dataset; datasets that feed it without a job are noted on the way."""
        state, canonical, alive = self._state, self._canonical, self._when.alive
        jobs: list[Node] = []
        for member in state.aliases.members(dataset):
            for edge in (*state.nodes[member].into, *state.nodes[member].out):
                src, dst = edge.src, edge.dst
                other = dst if src == member else src
                if src == dst or not alive(state, edge):
                    continue
                if isinstance(state.nodes[other], Job):
                    jobs.append(other)
                else:
                    found.nodes.setdefault(canonical(other), found.nodes[dataset])
                    found.edges[canonical(src), canonical(dst)] = edge
        return jobs
