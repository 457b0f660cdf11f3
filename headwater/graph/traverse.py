"""Table level: neighbourhoods, upstream, downstream, paths.

Depth counts jobs: one step goes from a dataset through a job to the datasets behind it.
Datasets that are one (symlinks) appear as their canonical node.
"""

from collections import deque
from collections.abc import Iterator
from itertools import chain

import msgspec

from headwater.graph.flow import Flow
from headwater.graph.slices import STEPS_PER_SLICE, Slices
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
    whole: bool = False  # all that is connected with any of the nodes is here

    def add(self, other: "Subgraph") -> None:
        for node, distance in other.nodes.items():
            self.nodes[node] = min(distance, self.nodes.get(node, distance))
        self.edges.update(other.edges)


Walk = Slices[Subgraph, Subgraph]


def neighbourhood(state: State, start: Node, depth: int, direction: str = CONNECTED, when: When | None = None) -> Walk:
    """What lies around a node. `connected` also takes siblings in: all that shares a dataset."""
    walk = _Walk(state, when or Always())
    start = state.aliases.canonical(start)
    if direction == CONNECTED:
        return (yield from walk.connected(start, depth))
    graph = Subgraph({start: 0})
    if direction in (UPSTREAM, BOTH):
        graph.add((yield from walk.directed(start, depth, up=True)))
    if direction in (DOWNSTREAM, BOTH):
        graph.add((yield from walk.directed(start, depth, up=False)))
    return graph


def paths(state: State, start: Node, end: Node, when: When | None = None) -> Walk:
    """Every node and edge on some way from `start` down to `end`; empty if there is none."""
    deep = len(state.nodes)
    walk = _Walk(state, when or Always())
    start, end = state.aliases.canonical(start), state.aliases.canonical(end)
    down = yield from walk.directed(start, deep, up=False)
    if end not in down.nodes:
        return Subgraph()
    up = yield from walk.directed(end, deep, up=True)
    edges = {pair: edge for pair, edge in down.edges.items() if pair in up.edges}
    # A job may lie below the start and above the end without anything flowing through it from
    # the one to the other, so only the edges decide.
    passed = {start, end, *chain.from_iterable(edges)}
    return Subgraph({node: distance for node, distance in down.nodes.items() if node in passed}, edges)


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
                if self._when.alive(state, edge):
                    yield edge

    def directed(self, start: Node, depth: int, *, up: bool) -> Walk:
        graph = Subgraph({start: 0})
        nodes, edges, canonical = graph.nodes, graph.edges, self._canonical
        # What to expand next, with the node that led there: which side of a job is reached
        # depends on the dataset that one comes from. Nearest first, so distances are right.
        start_from: tuple[Node, Node | None] = (start, None)
        expanded = {start_from}
        frontier = deque([start_from])
        left = STEPS_PER_SLICE
        while frontier:
            node, came_from = frontier.popleft()
            at_job = isinstance(self._state.nodes[node], Job)
            for edge in self._steps(node, came_from, up):
                left -= 1
                if not left:
                    yield graph
                    left = STEPS_PER_SLICE
                other = canonical(edge.src if up else edge.dst)
                if other == node:  # two names of one dataset
                    continue
                to_job = isinstance(self._state.nodes[other], Job)
                # A job's datasets are as far as the job itself.
                step = 0 if at_job and not to_job else 1
                distance = nodes[node] + step
                if distance > depth:
                    continue
                edges.setdefault((other, node) if up else (node, other), edge)
                nodes[other] = min(distance, nodes.get(other, distance))
                following = (other, node if to_job else None)
                if following not in expanded:
                    expanded.add(following)
                    if step:
                        frontier.append(following)
                    else:
                        frontier.appendleft(following)
        return graph

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

    def connected(self, start: Node, depth: int) -> Walk:
        """Jobs that share datasets with jobs …, `depth` times, whatever the direction."""
        state, canonical, alive = self._state, self._canonical, self._when.alive
        entities, members = state.nodes, state.aliases.members
        graph = Subgraph({start: 0})
        nodes, edges = graph.nodes, graph.edges
        beyond = [start]
        seen_jobs: set[Node] = set()
        left = STEPS_PER_SLICE
        for distance in range(depth + 1):
            jobs: list[Node] = []
            for place in beyond:
                if isinstance(entities[place], Job):
                    if place not in seen_jobs:
                        seen_jobs.add(place)
                        jobs.append(place)
                    continue
                for member in members(place):
                    dataset = entities[member]
                    for edge in (*dataset.into, *dataset.out):
                        left -= 1
                        if left <= 0:
                            yield graph
                            left = STEPS_PER_SLICE
                        other = edge.dst if edge.src == member else edge.src
                        if other in seen_jobs or other == member or not alive(state, edge):
                            continue
                        if isinstance(entities[other], Job):
                            seen_jobs.add(other)
                            jobs.append(other)
                        else:  # they feed each other without a job
                            shown = canonical(other)
                            if shown != place:
                                nodes.setdefault(shown, nodes[place])
                                edges[(place, shown) if edge.src == member else (shown, place)] = edge
            if not jobs:
                graph.whole = True
                break
            beyond = []
            for node in jobs:
                nodes.setdefault(node, distance)
                job = entities[node]
                for edge in (*job.into, *job.out):
                    left -= 1
                    if left <= 0:
                        yield graph
                        left = STEPS_PER_SLICE
                    other = canonical(edge.dst if edge.src == node else edge.src)
                    if other != node and alive(state, edge):
                        edges[(node, other) if edge.src == node else (other, node)] = edge
                        if other not in nodes:
                            nodes[other] = distance
                            beyond.append(other)
        return graph
