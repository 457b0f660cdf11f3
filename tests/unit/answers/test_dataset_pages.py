"""Pages of datasets say the same before and after the tables are written."""

import asyncio

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.answers.history import History
from headwater.graph.columns import ColumnWalk
from headwater.ids import Node
from headwater.ingest.service import Service
from headwater.model.entities import Dataset
from headwater.store.rows import take
from tests.integration.samples import recorded
from tests.support import make
from tests.support.examples import examples
from tests.support.strategies import events
from tests.support.world import EventOrEdit, World, close_all


def shown_one_by_one(world: World, nodes: list[Node]) -> bytes:
    """By what `graph.columns` finds, without versions."""
    return msgspec.json.encode([world.renderer.datasets.dataset(node, None) for node in nodes])


def listed(world: World) -> list[Node]:
    state = world.state
    return [
        Node(number)
        for number, entity in enumerate(state.nodes)
        if isinstance(entity, Dataset) and state.aliases.canonical(Node(number)) == number
    ]


async def without_versions(world: World, nodes: list[Node]) -> bytes:
    history = History(Service(world.log, world.tables, world.state), world.contents, world.renderer)
    datasets = await history.datasets(nodes)
    for one in datasets:
        one.currentVersion = None
    return msgspec.json.encode(datasets)


@examples(150)
@given(events)
def test_columns_are_shown_as_the_graph_has_them(events: list[EventOrEdit]) -> None:
    world = World(events)
    assert asyncio.run(without_versions(world, listed(world))) == shown_one_by_one(world, listed(world))
    close_all()


async def test_columns_of_real_events_are_shown_as_the_graph_has_them() -> None:
    world = World(recorded())
    nodes = listed(world)
    assert b'"inputFields":[{' in await without_versions(world, nodes)
    assert await without_versions(world, nodes) == shown_one_by_one(world, nodes)


async def test_what_one_facet_reports_is_written_without_a_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    facets = {**make.schema("b", "a"), **make.columns(a=["raw.x", "raw.y"], b=["raw.x"], c=["other.z"])}
    world = World([make.run("COMPLETE", "load", 1, "r1", ["raw", "other"], [make.dataset("clean", facets)])])
    nodes = [world.node("clean")]
    expected = shown_one_by_one(world, nodes)

    def walked(*_: object) -> None:
        raise AssertionError("it walked")

    monkeypatch.setattr(ColumnWalk, "links", walked)
    assert await without_versions(world, nodes) == expected


async def shown(history: History, nodes: list[Node]) -> bytes:
    return msgspec.json.encode(await history.datasets(nodes))


@examples(150)
@given(events, st.sets(st.integers(0, 12)), st.sets(st.integers(0, 12)))
def test_what_the_tables_lack_is_shown_all_the_same(
    events: list[EventOrEdit], written: set[int], on_the_way: set[int]
) -> None:
    """Some writes are done and some are on their way, at any place among the events."""
    asyncio.run(_compare(events, written, on_the_way))
    close_all()


async def _compare(events: list[EventOrEdit], written: set[int], on_the_way: set[int]) -> None:
    world = World([])
    service = Service(world.log, world.tables, world.state)
    history = History(service, world.contents, world.renderer)
    for number, event in enumerate(events):
        world.ingest(event)
        if number in written:
            await service.write_tables()
        if number in on_the_way and service.table_writer._unwritten is None:
            service.table_writer._unwritten_nodes = world.state.dirty.nodes
            service.table_writer._unwritten = (take(world.state), world.state.position)
    nodes = listed(world)
    before = await shown(history, nodes)
    await service.write_tables()
    assert before == await shown(history, nodes)


async def test_a_version_that_turns_out_to_be_older_is_no_longer_the_newest() -> None:
    def written(version: str, minute: float) -> EventOrEdit:
        facets = {"version": make.facet(datasetVersion=version)}
        return make.run("COMPLETE", "load", minute, f"{version} {minute}", [], [make.dataset("clean", facets)])

    world = World([written("v1", 10), written("v2", 20)])
    service = Service(world.log, world.tables, world.state)
    history = History(service, world.contents, world.renderer)
    clean = [world.node("clean")]
    (newest,) = await history.datasets(clean)
    world.ingest(written("v2", 5))
    (now,) = await history.datasets(clean)
    await service.write_tables()
    (later,) = await history.datasets(clean)
    assert now.currentVersion == later.currentVersion != newest.currentVersion


async def test_a_version_that_counts_no_more_is_not_the_newest() -> None:
    """What START knows of a dataset is no version of its own when COMPLETE knows more."""
    world = World([make.run("START", "load", 1, "r1", [], ["clean"])])
    service = Service(world.log, world.tables, world.state)
    history = History(service, world.contents, world.renderer)
    clean = [world.node("clean")]
    (first,) = await history.datasets(clean)
    world.ingest(make.run("COMPLETE", "load", 0.5, "r1", [], [make.dataset("clean", make.schema("id"))]))
    (now,) = await history.datasets(clean)
    await service.write_tables()
    (later,) = await history.datasets(clean)
    assert now.currentVersion == later.currentVersion != first.currentVersion
