"""Kept JSON is never stale, and says what the graph says."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from hypothesis import given

from headwater.answers import graphs
from headwater.answers.graphs import GraphWriter
from headwater.answers.large_answers import LargeAnswers
from headwater.answers.render import Renderer
from headwater.facet_contents import Contents
from headwater.graph.columns import columns_of
from headwater.graph.slices import finish
from headwater.graph.traverse import BOTH, CONNECTED, DIRECTIONS, UPSTREAM
from headwater.graph.when import Always, At
from headwater.ids import Node
from headwater.ingest.folding import fold
from headwater.model.entities import Dataset
from headwater.openlineage.event import decode
from headwater.openlineage.timestamps import now
from tests.support import make
from tests.support.examples import examples
from tests.support.strategies import events
from tests.support.world import EventOrEdit, World, close_all, record


def quiet() -> LargeAnswers:
    """No events come in."""
    return LargeAnswers(lambda: False)


def answers(writer: GraphWriter, world: World, contents: Contents) -> list[bytes]:
    """Every node's lineage, and every dataset's columns up and down."""
    state = world.state

    async def ask() -> list[bytes]:
        graphs = []
        for number, entity in enumerate(state.nodes):
            node = state.aliases.canonical(Node(number)) if isinstance(entity, Dataset) else Node(number)
            for direction, depth in ((CONNECTED, 20), (BOTH, 20), (BOTH, 1), (UPSTREAM, 20)):
                graphs.append(await writer.lineage(node, depth, direction, Always()))
            if isinstance(entity, Dataset):
                start = finish(columns_of(state, contents, node))
                for depth, down in ((20, False), (20, True), (1, True)):
                    graphs.append(await writer.column_lineage(start, depth, down=down, when=Always()))
        return graphs

    return asyncio.run(ask())


@examples(25)
@given(events)
def test_answers_from_cached_json_equal_fresh_ones_after_every_event(events: list[EventOrEdit]) -> None:
    world = World([])
    worth, graphs._FEWEST_CACHED = graphs._FEWEST_CACHED, 0  # remember small answers too
    try:
        cached_contents = Contents(world.log)
        cached = GraphWriter(Renderer(world.state, cached_contents), quiet())
        for event in events:
            decoded = record(event)
            (appended,) = world.log.append([decoded], now())
            if not appended.duplicate:
                fold(world.state, world.tables, [(appended.position, decoded)], world.known)
            fresh_contents = Contents(world.log)
            fresh = GraphWriter(Renderer(world.state, fresh_contents), quiet())
            assert answers(cached, world, cached_contents) == answers(fresh, world, fresh_contents)
    finally:
        graphs._FEWEST_CACHED = worth
        close_all()


def graph_of(name: str, world: World) -> list[dict[str, Any]]:
    writer = GraphWriter(world.renderer, quiet())
    text = asyncio.run(writer.lineage(world.node(name), 20, CONNECTED, Always()))
    nodes: list[dict[str, Any]] = msgspec.json.decode(text)["graph"]
    return nodes


def columns_graph(name: str, world: World, depth: int = 20) -> list[dict[str, Any]]:
    writer = GraphWriter(world.renderer, quiet())
    start = finish(columns_of(world.state, world.contents, world.node(name)))
    text = asyncio.run(writer.column_lineage(start, depth, down=False, when=Always()))
    nodes: list[dict[str, Any]] = msgspec.json.decode(text)["graph"]
    return nodes


def test_a_graph_has_its_nodes_in_order_with_edges_at_both_ends() -> None:
    world = World([make.run("COMPLETE", "load", inputs=["raw"], outputs=["clean"])])
    nodes = graph_of("raw", world)
    assert [(n["id"], n["type"]) for n in nodes] == [
        ("dataset:db:clean", "DATASET"),
        ("dataset:db:raw", "DATASET"),
        ("job:jobs:load", "JOB"),
    ]
    edge = {"origin": "dataset:db:raw", "destination": "job:jobs:load"}
    assert nodes[1]["outEdges"] == [edge]
    assert edge in nodes[2]["inEdges"]
    assert nodes[2]["data"]["latestRun"]["state"] == "COMPLETED"


def test_column_edges_start_at_the_node_itself() -> None:
    out = make.dataset("clean", make.columns(x=["raw.x"]))
    nodes = columns_graph("clean", World([make.run("COMPLETE", "load", inputs=["raw"], outputs=[out])]))
    target, source = "datasetField:db:clean:x", "datasetField:db:raw:x"
    assert [n["id"] for n in nodes] == [target, source]
    assert nodes[0]["inEdges"] == [{"origin": target, "destination": source}]
    assert nodes[1]["outEdges"] == [{"origin": source, "destination": target}]
    assert nodes[0]["data"]["inputFields"][0]["transformations"][0]["subtype"] == "IDENTITY"


def test_a_column_graph_cut_by_depth_has_no_edges_to_what_is_left_out() -> None:
    world = World(
        [
            make.run("COMPLETE", "a", 0, "r1", ["raw"], [make.dataset("mid", make.columns(x=["raw.x"]))]),
            make.run("COMPLETE", "b", 1, "r2", ["mid"], [make.dataset("out", make.columns(x=["mid.x"]))]),
        ]
    )
    nodes = {n["id"]: n for n in columns_graph("out", world, depth=1)}
    assert set(nodes) == {"datasetField:db:out:x", "datasetField:db:mid:x"}
    assert nodes["datasetField:db:mid:x"]["inEdges"] == []


def test_no_edge_leads_from_a_node_to_itself() -> None:
    """A dataset with column lineage from another of its names, and a job that reads what it writes."""
    world = World(
        [
            make.dataset_event("real", 0, {**make.symlinks(("db", "logical")), **make.columns(x=["logical.x"])}),
            make.run("COMPLETE", "merge", 1, "r1", ["real"], [make.dataset("real", make.columns(x=["real.x"]))]),
        ]
    )
    assert ("logical", "real") in [(world.name(e.src), world.name(e.dst)) for e in world.state.edges.values()]
    writer, node = GraphWriter(world.renderer, quiet()), world.node("real")
    column = (node, "x")
    bodies = [
        *(asyncio.run(writer.lineage(node, 20, direction, Always())) for direction in DIRECTIONS),
        *(asyncio.run(writer.lineage(node, 20, direction, At(now()))) for direction in DIRECTIONS),
        asyncio.run(writer.path(node, world.node("merge()"), Always())),
        *(asyncio.run(writer.column_lineage([column], 20, down=down, when=Always())) for down in (False, True)),
        asyncio.run(writer.column_path([column], [column], Always())),
    ]
    for body in bodies:
        nodes = msgspec.json.decode(body)["graph"]
        edges = [(e["origin"], e["destination"]) for n in nodes for e in (*n["inEdges"], *n["outEdges"])]
        assert nodes
        assert not [edge for edge in edges if edge[0] == edge[1]]


async def test_an_answer_that_an_event_overtook_is_not_used_again() -> None:
    world = World([make.run("COMPLETE", "load", 0, "r1", ["raw"], ["clean"])])
    event = decode(make.encoded(make.run("COMPLETE", "use", 1, "r2", ["clean"], ["out"])))

    class Overtaken(LargeAnswers):
        """While the first answer waits for its turn, an event comes in."""

        @asynccontextmanager
        async def turn(self, nodes: int, size: int = 0) -> AsyncIterator[None]:
            (appended,) = world.log.append([event], now())
            if not appended.duplicate:
                fold(world.state, world.tables, [(appended.position, event)], world.known)
            yield

    worth, graphs._FEWEST_CACHED = graphs._FEWEST_CACHED, 0
    try:
        writer = GraphWriter(world.renderer, Overtaken(lambda: True))
        await writer.lineage(world.node("raw"), 20, CONNECTED, Always())
        nodes = msgspec.json.decode(await writer.lineage(world.node("raw"), 20, CONNECTED, Always()))["graph"]
    finally:
        graphs._FEWEST_CACHED = worth
    assert "job:jobs:use" in [node["id"] for node in nodes]


@pytest.mark.parametrize("query", ["nodes", "columns above", "columns above and below"])
async def test_an_answer_that_an_event_overtook_in_the_middle_of_its_walk_is_not_used_again(
    query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The event touches what the walk has passed already."""
    columns = query != "nodes"
    monkeypatch.setattr("headwater.graph.traverse.STEPS_PER_SLICE", 1)
    monkeypatch.setattr("headwater.graph.columns._COLUMNS_PER_SLICE", 1)
    monkeypatch.setattr("headwater.graph.columns._DATASETS_PER_SLICE", 1)
    monkeypatch.setattr("headwater.answers.graphs._FEWEST_CACHED", 0)

    def step(n: int, source: str, at: float, run_id: str) -> dict[str, Any]:
        out = make.dataset(f"d{n + 1}", make.columns(x=[f"{source}.x"]))
        return make.run("COMPLETE", f"load{n}", at, run_id, [source], [out])

    world = World([step(n, f"d{n}", n, f"r{n}") for n in range(20)])
    event = decode(make.encoded(step(19, "extra", 30, "late")))
    writer = GraphWriter(world.renderer, quiet())
    end = world.node("d20")

    async def ask() -> bytes:
        if columns:
            below = query == "columns above and below"
            return await writer.column_lineage([(end, "x")], 50, down=below, when=Always())
        return await writer.lineage(end, 50, UPSTREAM, Always())

    first = asyncio.create_task(ask())
    for _ in range(10):
        await asyncio.sleep(0)
    assert not first.done()
    (appended,) = world.log.append([event], now())
    fold(world.state, world.tables, [(appended.position, event)], world.known)
    node = b'{"id":"datasetField:db:extra:x"' if columns else b'{"id":"dataset:db:extra"'
    overtaken = await first
    # Columns above are walked once more when the walk is not of one piece.
    assert node not in overtaken or query == "columns above"
    assert node in await ask()
