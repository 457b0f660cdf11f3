"""All ways between two nodes, or between two columns."""

from collections import defaultdict

from hypothesis import given

from headwater.graph.columns import Column, ColumnWalk, column_paths, columns_of
from headwater.graph.flow import Flow
from headwater.graph.slices import finish
from headwater.graph.traverse import paths
from headwater.graph.when import Always, At
from headwater.ids import Node
from headwater.model.entities import Dataset
from headwater.openlineage.timestamps import parse
from tests.support.examples import examples
from tests.support.make import columns, dataset, run, time
from tests.support.strategies import events
from tests.support.world import EventOrEdit, World, close_all, one_world

few = examples(40)


def test_a_job_beside_the_way_is_not_on_it() -> None:
    """`split` takes a to x and c to b; only `copy` takes a to b."""
    world = one_world(
        [
            run(
                "COMPLETE",
                "split",
                0,
                "r1",
                ["a", "c"],
                [dataset("x", columns(v=["a.v"])), dataset("b", columns(v=["c.v"]))],
            ),
            run("COMPLETE", "copy", 0, "r2", ["a"], ["b"]),
        ]
    )
    graph = finish(paths(world.state, world.node("a"), world.node("b")))
    assert {world.name(node) for node in graph.nodes} == {"a", "copy()", "b"}


def test_a_way_of_the_past_is_found_at_its_time_only() -> None:
    day = 24 * 60
    events = [run("COMPLETE", "load", d * day, f"r{d}", ["old" if d < 5 else "new"], ["out"]) for d in range(10)]
    world = one_world(events)
    ends = world.node("old"), world.node("out")
    assert finish(paths(world.state, *ends, At(parse(time(2 * day))))).nodes
    assert not finish(paths(world.state, *ends, At(parse(time(9 * day))))).nodes


def test_ways_between_columns_leave_other_columns_out() -> None:
    world = one_world(
        [
            run("COMPLETE", "load", 0, "r1", ["raw"], [dataset("mid", columns(x=["raw.x"], y=["raw.y"]))]),
            run("COMPLETE", "sum", 1, "r2", ["mid"], [dataset("out", columns(total=["mid.x", "mid.y"]))]),
        ]
    )
    raw, mid, out = (world.node(name) for name in ("raw", "mid", "out"))
    graph = finish(column_paths(world.state, world.contents, [(raw, "x")], [(out, "total")]))
    assert set(graph.nodes) == {(raw, "x"), (mid, "x"), (out, "total")}
    assert len(graph.edges) == 2
    assert not finish(column_paths(world.state, world.contents, [(out, "total")], [(raw, "x")])).nodes


@few
@given(events)
def test_ways_equal_a_search_of_every_way(events: list[EventOrEdit]) -> None:
    try:
        world = World(events)
        nodes = [Node(n) for n in range(len(world.state.nodes)) if world.state.aliases.canonical(Node(n)) == n]
        for start in nodes:
            steps = every_step(world, start)
            for end in nodes:
                graph = finish(paths(world.state, start, end))
                expected = edges_on_ways(steps, end)
                assert set(graph.edges) == expected
                reached = end == start or any(edge[1] == end for edge in expected)
                assert set(graph.nodes) == ({start, end, *(n for e in expected for n in e)} if reached else set())
    finally:
        close_all()


_Place = tuple[Node, Node | None]
"""A node, and for a job the node that one comes from."""


def every_step(world: World, start: Node) -> dict[_Place, set[_Place]]:
    """All steps down from the start; what comes out of a job depends on what went in."""
    state, canonical = world.state, world.state.aliases.canonical
    steps: dict[_Place, set[_Place]] = {}
    to_do: list[_Place] = [(start, None)]
    while to_do:
        place = to_do.pop()
        if place in steps:
            continue
        node, came_from = place
        entity = state.nodes[node]
        if isinstance(entity, Dataset):
            edges = [e for m in state.aliases.members(node) for e in state.nodes[m].out if not state.is_gone(e)]
        elif came_from is None or not isinstance(state.nodes[came_from], Dataset):
            edges = Flow(state, entity, Always()).outputs
        else:
            edges = Flow(state, entity, Always()).targets(came_from)
        far = [end for edge in edges if (end := canonical(edge.dst)) != node]
        steps[place] = {(n, None if isinstance(state.nodes[n], Dataset) else node) for n in far}
        to_do += steps[place]
    return steps


def edges_on_ways(steps: dict[_Place, set[_Place]], end: Node) -> set[tuple[Node, Node]]:
    into = defaultdict(set)
    for place, following in steps.items():
        for one in following:
            into[one].add(place)
    leads_there = {place for place in steps if place[0] == end}
    to_do = list(leads_there)
    while to_do:
        fresh = into[to_do.pop()] - leads_there
        leads_there |= fresh
        to_do += fresh
    return {(a[0], b[0]) for a in leads_there for b in steps[a] if b in leads_there}


@few
@given(events)
def test_ways_between_columns_equal_a_search_of_every_way(events: list[EventOrEdit]) -> None:
    try:
        world = World(events)
        state = world.state
        walk = ColumnWalk(state, world.contents, None)
        datasets = [d.node for d in state.nodes if isinstance(d, Dataset) and state.aliases.canonical(d.node) == d.node]
        links = [e for d in datasets for edges in walk.links(d).values() for e in edges]
        every = {(e.src, e.dst) for e in links if e.src != e.dst}
        known = [column for d in datasets for column in finish(columns_of(state, world.contents, d))]
        for start in known:
            for end in known:
                below = closure({start}, every)
                above = closure({end}, {(b, a) for a, b in every})
                graph = finish(column_paths(state, world.contents, [start], [end]))
                assert set(graph.nodes) == (below & above if end in below else set())
                expected = {(a, b) for a, b in every if a in below & above and b in below & above}
                assert {(e.src, e.dst) for e in graph.edges} == (expected if end in below else set())
    finally:
        close_all()


def closure(reached: set[Column], edges: set[tuple[Column, Column]]) -> set[Column]:
    while fresh := {b for a, b in edges if a in reached} - reached:
        reached = reached | fresh
    return reached
