"""The ring of recent changes and those who listen: resuming, falling behind, filters, ends."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from headwater.ingest.folding import fold
from headwater.live import hub as hub_module
from headwater.live.hub import Subscription
from headwater.live.update_filter import Surroundings, UpdateFilter
from headwater.openlineage.event import decode
from headwater.openlineage.timestamps import now
from tests.support.live import LiveWorld, StreamMessage, read_all, read_stream
from tests.support.make import dataset, encoded, run, symlinks


def numbered(number: int, **more: Any) -> dict[str, Any]:
    return run("RUNNING", "load", number, **more)


def ids(messages: list[StreamMessage]) -> list[int]:
    return [m.id for m in messages if m.kind == "change"]


@pytest.fixture
def small_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "RING_EVENTS", 10)
    monkeypatch.setattr(hub_module, "_TRIMMED_AT_ONCE", 1)
    monkeypatch.setattr(hub_module, "_PIECE_EVENTS", 3)


# Where one begins


def test_a_new_subscriber_gets_the_position_and_then_what_comes_after() -> None:
    world = LiveWorld([numbered(1), numbered(2)])
    subscription = world.subscribe()
    begun = subscription.begin()
    assert begun.startswith(b"retry: ")
    (hello,) = read_stream(begun)
    assert (hello.kind, hello.id, hello.data.position) == ("hello", 2, 2)
    assert read_all(subscription) == []
    world.feed(numbered(3))
    assert ids(read_all(subscription)) == [3]


def test_whoever_comes_back_gets_what_was_missed_and_goes_on() -> None:
    world = LiveWorld()
    present = world.subscribe()
    for number in range(1, 6):
        world.feed(numbered(number))
    back = world.subscribe(after=2)
    assert read_stream(back.begin()) == []
    assert read_all(back) == read_all(present)[2:]
    world.feed(numbered(6))
    assert read_all(back) == read_all(present)
    nothing_missed = world.subscribe(after=6)
    assert read_all(nothing_missed) == []


@pytest.mark.parametrize("after", [0, 1, 7])
def test_positions_from_before_the_start_or_from_elsewhere_resync(after: int) -> None:
    world = LiveWorld([numbered(1), numbered(2)])
    subscription = world.subscribe(after=after)
    (message,) = read_all(subscription)
    assert (message.kind, message.id, message.data.position) == ("resync", 2, 2)
    assert str(after) in message.data.reason
    assert world.hub.resyncs == 1
    world.feed(numbered(3))
    assert ids(read_all(subscription)) == [3]


def test_the_position_of_a_restart_needs_no_resync() -> None:
    world = LiveWorld([numbered(1), numbered(2)])
    subscription = world.subscribe(after=2)
    world.feed(numbered(3))
    assert ids(read_all(subscription)) == [3]


# Falling behind


@pytest.mark.usefixtures("small_ring")
def test_a_subscriber_that_falls_out_of_the_ring_gets_a_resync_and_goes_on() -> None:
    world = LiveWorld()
    slow, quick = world.subscribe(), world.subscribe()
    for number in range(1, 31):
        world.feed(numbered(number))
        assert ids(read_all(quick)) == [number]
    (message,) = read_all(slow)
    assert (message.kind, message.data.position) == ("resync", 30)
    world.feed(numbered(31))
    assert ids(read_all(slow)) == ids(read_all(quick)) == [31]


@pytest.mark.usefixtures("small_ring")
def test_the_ring_holds_the_last_events_and_no_more() -> None:
    world = LiveWorld()
    world.subscribe()
    for number in range(1, 31):
        world.feed(numbered(number))
    assert ids(read_all(world.subscribe(after=20))) == list(range(21, 31))
    assert [m.kind for m in read_all(world.subscribe(after=19))] == ["resync"]


def test_events_that_name_very_many_datasets_take_the_place_of_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "RING_NODES", 100)
    world = LiveWorld()
    subscription = world.subscribe()
    world.feed(*(numbered(n, inputs=[f"t{i}" for i in range(5)]) for n in range(1, 21)))
    available = ids(read_all(world.subscribe(after=19)))
    assert available == [20]
    assert [m.kind for m in read_all(subscription)] == ["resync"]
    world.feed(numbered(21, inputs=[f"u{i}" for i in range(200)]))  # alone it is too much
    assert [m.kind for m in read_all(subscription)] == ["resync"]
    world.feed(numbered(22))
    assert ids(read_all(subscription)) == [22]


def test_what_is_sent_is_made_once_for_all() -> None:
    world = LiveWorld()
    everyone = [world.subscribe() for _ in range(3)]
    world.feed(numbered(1))
    first, *others = [subscription.take() for subscription in everyone]
    assert first
    assert all(piece is first for piece in others)


def test_json_that_was_dropped_is_made_again_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "_CACHED_BYTES", 1000)
    world = LiveWorld()
    present = world.subscribe()
    for number in range(1, 20):
        world.feed(numbered(number, inputs=["raw"], outputs=[f"t{number}"]))
    messages = read_all(present)
    assert len(messages) == 19
    assert read_all(world.subscribe(after=0)) == messages


# Filters


def own(kind: str, job: str, at: float = 0, **more: Any) -> dict[str, Any]:
    """An event of a job that has one run of its own."""
    return run(kind, job, at, f"run of {job}", **more)


def wants(world: LiveWorld, *namespaces: str, around: str | None = None, depth: int = 20) -> Subscription:
    surroundings = None if around is None else Surroundings(world.state, world.node(around), depth)
    return world.subscribe(update_filter=UpdateFilter(frozenset(namespaces), surroundings))


def test_a_namespace_filters_by_whatever_a_message_concerns() -> None:
    world = LiveWorld()
    only = wants(world, "hive", "other")
    world.feed(
        run("START", "a", inputs=["x"]),
        run("START", "b", inputs=[("hive", "y")]),
        run("START", ("other", "c")),
        run("START", "d", outputs=[dataset("z", symlinks(("hive", "z")))]),
        run("START", "e", outputs=["w"]),
    )
    assert [m.data.job for m in read_all(only)] == ["job:jobs:b", "job:other:c", "job:jobs:d"]


def test_the_surroundings_of_a_node_grow_with_edges_that_attach_to_them() -> None:
    world = LiveWorld([own("START", "load", inputs=["raw"], outputs=["clean"]), own("START", "far", inputs=["else"])])
    around = wants(world, around="clean")
    world.feed(
        own("RUNNING", "load", 1),
        own("RUNNING", "far", 1),
        own("START", "report", 1, inputs=["clean"], outputs=["sums"]),  # attaches
        own("START", "mail", 1, inputs=["sums"]),  # to what was attached
        own("RUNNING", "far", 2, outputs=["raw"]),  # brings what was far near
        own("START", "lone", 1, inputs=["lonely"]),
        own("START", "copy", 1, inputs=["else"]),
    )
    jobs = [m.data.job.removeprefix("job:jobs:") for m in read_all(around)]
    assert jobs == ["load", "report", "mail", "far", "copy"]


def test_surroundings_end_at_their_depth() -> None:
    chain = [own("START", f"j{n}", inputs=[f"t{n}"], outputs=[f"t{n + 1}"]) for n in range(6)]
    world = LiveWorld(chain)
    near, nearest = wants(world, around="t2", depth=1), wants(world, around="t2", depth=0)
    of_job = wants(world, around="j2()", depth=1)
    world.feed(*(own("RUNNING", f"j{n}", 1) for n in range(6)))
    world.feed(own("START", "new", 2, inputs=["t0"]))
    for subscription, jobs in ((near, ["j0", "j1", "j2", "j3"]), (nearest, ["j1", "j2"]), (of_job, ["j1", "j2", "j3"])):
        of_jobs = [m.data.job.removeprefix("job:jobs:") for m in read_all(subscription)]
        assert of_jobs == (jobs if subscription is not near else [*jobs, "new"])


def test_surroundings_follow_a_dataset_to_its_other_name() -> None:
    world = LiveWorld([own("START", "load", outputs=[("hive", "clean")])])
    around = wants(world, around="hive clean")
    world.feed(
        own("START", "write", 1, outputs=[dataset("clean", symlinks(("hive", "clean")))]),
        own("RUNNING", "write", 2, outputs=["clean"]),
    )
    assert ids(read_all(around)) == [2, 3]


# Waiting, and the end


async def listen(subscription: Subscription, hear: Callable[[bytes], None], keep_alive: float = 60) -> None:
    with subscription:
        async for piece in subscription.pieces(keep_alive):
            hear(piece)


async def until(condition: Any) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.001)


async def test_subscribers_wait_are_woken_and_end_with_the_hub() -> None:
    world = LiveWorld()
    received: list[list[bytes]] = [[] for _ in range(20)]
    tasks = [asyncio.create_task(listen(world.subscribe(), pieces.append)) for pieces in received]
    await until(lambda: all(received))
    assert len(world.hub.subscribers) == 20
    for number in range(1, 10):
        world.feed(numbered(number))
        await asyncio.sleep(0)
    await until(lambda: all(ids(read_stream(b"".join(pieces))) == list(range(1, 10)) for pieces in received))
    assert await world.hub.close(30)
    await asyncio.gather(*tasks)
    assert not world.hub.subscribers


async def test_subscribers_that_leave_are_forgotten() -> None:
    world = LiveWorld()
    for _ in range(3):
        tasks = [asyncio.create_task(listen(world.subscribe(), lambda _: None)) for _ in range(200)]
        await until(lambda: len(world.hub.subscribers) == 200)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert not world.hub.subscribers
        assert not world.hub._waiting


async def test_a_quiet_stream_shows_that_it_is_alive() -> None:
    world = LiveWorld()
    pieces: list[bytes] = []
    task = asyncio.create_task(listen(world.subscribe(), pieces.append, keep_alive=0.001))
    await until(lambda: len(pieces) > 3)
    assert set(pieces[1:]) == {b": still here\n\n"}
    task.cancel()


async def test_who_hears_of_little_learns_the_position_with_the_sign_of_life() -> None:
    world = LiveWorld()
    pieces: list[bytes] = []
    task = asyncio.create_task(listen(wants(world, "elsewhere"), pieces.append, keep_alive=0.001))
    await until(lambda: pieces)
    world.feed(numbered(1))
    await until(lambda: b"id: 1\n: still here\n\n" in pieces)
    assert pieces.count(b"id: 1\n: still here\n\n") == 1
    task.cancel()


def test_events_that_are_folded_once_more_make_one_update() -> None:
    world = LiveWorld()
    subscription = world.subscribe()
    first, second = (decode(encoded(numbered(n))) for n in (1, 2))
    for group in ([first], [first, second]):
        positions = [a.position for a in world.log.append(group, now())]
        fold(world.state, world.tables, list(zip(positions, group, strict=True)), world.known, world.hub.updates)
        world.hub.publish()
    assert ids(read_all(subscription)) == [1, 2]


def test_nothing_is_noted_before_anybody_listens() -> None:
    world = LiveWorld()
    world.feed(numbered(1))
    assert world.state.effects is None
    world.subscribe()
    world.feed(numbered(2))
    assert ids(read_all(world.subscribe(after=1))) == [2]
