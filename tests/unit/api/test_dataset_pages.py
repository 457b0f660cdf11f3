"""Pages of datasets say the same before and after the tables are written."""

import asyncio

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.api.history import History
from headwater.ids import Node
from headwater.model.entities import Dataset
from headwater.service import Service
from headwater.store.rows import take
from tests.support import make
from tests.support.strategies import events
from tests.support.world import Told, World, close_all


async def shown(history: History, nodes: list[Node]) -> bytes:
    return msgspec.json.encode(await history.datasets(nodes))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(events, st.sets(st.integers(0, 12)), st.sets(st.integers(0, 12)))
def test_what_the_tables_lack_is_shown_all_the_same(told: list[Told], written: set[int], on_the_way: set[int]) -> None:
    """Some writes are done and some are on their way, at any place among the events."""
    asyncio.run(_compare(told, written, on_the_way))
    close_all()


async def _compare(told: list[Told], written: set[int], on_the_way: set[int]) -> None:
    world = World([])
    service = Service(world.log, world.tables, world.state)
    history = History(service, world.contents, world.renderer)
    for number, event in enumerate(told):
        world.take_in(event)
        if number in written:
            await service.write_tables()
        if number in on_the_way and service._unwritten is None:
            service._unwritten_nodes = world.state.dirty.nodes
            service._unwritten = (take(world.state), world.state.position)
    state = world.state
    nodes = [
        Node(number)
        for number, entity in enumerate(state.nodes)
        if isinstance(entity, Dataset) and state.aliases.canonical(Node(number)) == number
    ]
    before = await shown(history, nodes)
    await service.write_tables()
    assert before == await shown(history, nodes)


async def test_a_version_that_turns_out_to_be_older_is_no_longer_the_newest() -> None:
    def written(version: str, minute: float) -> Told:
        facets = {"version": make.facet(datasetVersion=version)}
        return make.run("COMPLETE", "load", minute, f"{version} {minute}", [], [make.dataset("clean", facets)])

    world = World([written("v1", 10), written("v2", 20)])
    service = Service(world.log, world.tables, world.state)
    history = History(service, world.contents, world.renderer)
    clean = [world.node("clean")]
    (newest,) = await history.datasets(clean)
    world.take_in(written("v2", 5))
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
    world.take_in(make.run("COMPLETE", "load", 0.5, "r1", [], [make.dataset("clean", make.schema("id"))]))
    (now,) = await history.datasets(clean)
    await service.write_tables()
    (later,) = await history.datasets(clean)
    assert now.currentVersion == later.currentVersion != first.currentVersion
