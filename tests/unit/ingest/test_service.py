"""The path of an event, with a mistake of ours in the middle of it."""

import asyncio
from typing import Any

import pytest

from headwater.errors import StoreUnavailable
from headwater.ids import Position, RunId
from headwater.ingest import folding
from headwater.ingest.folding import PrefetchedRuns, _write, rebuild
from headwater.ingest.service import Service
from headwater.model import state as state_module
from headwater.model.apply import apply_event
from headwater.model.changes import RunSeen
from headwater.openlineage.event import decode
from headwater.store.protocol import EventFilter
from tests.support.make import encoded, facet, run
from tests.support.world import World


def break_the_fold_of(job: str, monkeypatch: pytest.MonkeyPatch) -> None:
    apply = apply_event

    def broken(state: Any, position: Any, event: Any, changes: Any) -> None:
        if any(isinstance(c, RunSeen) and c.job[1] == job for c in changes):
            raise ZeroDivisionError
        apply(state, position, event, changes)

    monkeypatch.setattr(folding, "apply_event", broken)


async def test_an_event_that_cannot_be_applied_keeps_no_other_out(monkeypatch: pytest.MonkeyPatch) -> None:
    break_the_fold_of("bad", monkeypatch)
    world = World([])
    running = Service(world.log, world.tables, world.state)
    await running.start()
    try:
        for job in ("good", "bad", "fine"):
            appended = await running.ingest([decode(encoded(run("START", job, run_id=job)))])
            assert len(appended) == 1
        assert set(world.state.jobs["jobs"]) >= {"good", "fine"}
        await running.write_tables()
        assert world.tables.position() == 3
        assert len(world.tables.events(EventFilter())) == 3
        assert len(list(world.log.read(Position(0)))) == 3
        again = rebuild(world.log, world.tables)
        assert set(again.jobs["jobs"]) == set(world.state.jobs["jobs"])
    finally:
        for task in running._tasks:
            task.cancel()


async def test_a_question_about_what_the_tables_have_does_not_wait_for_a_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World([run("START", "old", run_id="old", outputs=["seen"])])
    running = Service(world.log, world.tables, world.state)
    await running.start()
    try:
        await running.ingest([decode(encoded(run("START", "new", run_id="new", outputs=["fresh"])))])
        await running.write_tables([world.node("old()"), world.node("seen")])
        assert world.tables.position() == 1
        with monkeypatch.context() as broken:
            broken.setattr(world.tables, "write", _refuse)
            with pytest.raises(StoreUnavailable):
                await running.write_tables([world.node("new()")])
            # Taken out of the state, but not on disk.
            with pytest.raises(StoreUnavailable):
                await running.write_tables([world.node("fresh")])
        await running.write_tables([world.node("old()"), world.node("fresh")])
        assert world.tables.position() == 2
    finally:
        for task in running._tasks:
            task.cancel()


def _refuse(*_: Any) -> None:
    raise StoreUnavailable("full")


async def test_a_store_that_fails_answers_each_waiting_request_and_recovers(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World([])
    running = Service(world.log, world.tables, world.state)
    await running.start()
    try:
        with monkeypatch.context() as broken:
            broken.setattr(world.log, "append", lambda *_: 1 / 0)
            with pytest.raises(StoreUnavailable):
                await running.ingest([decode(encoded(run("START", "a")))])
            assert running.last_failure is not None
        await running.ingest([decode(encoded(run("START", "a")))])
        assert running.last_failure is None
    finally:
        for task in running._tasks:
            task.cancel()


async def test_runs_that_leave_memory_while_their_next_events_go_to_disk_lose_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(state_module, "RUNS_IN_MEMORY", 0)
    world = World([])
    running = Service(world.log, world.tables, world.state)
    await running.start()

    async def send(number: int) -> None:
        sent = run(
            "RUNNING", "a", number, f"run-{number % 3}", outputs=[f"out-{number % 7}"], facets={"n": facet(n=number)}
        )
        await running.ingest([decode(encoded(sent))])

    async def write_on() -> None:
        while True:
            await running.write_tables()
            await asyncio.sleep(0)

    writing = asyncio.create_task(write_on())
    try:
        for start in range(0, 300, 10):
            await asyncio.gather(*(send(number) for number in range(start, start + 10)))
        await running.write_tables()
    finally:
        for task in (writing, *running._tasks):
            task.cancel()
    assert not world.state.runs
    ids = [RunId(f"run-{number}") for number in range(3)]
    live = {run.id: (run.facets, run.uses) for run in world.tables.runs(ids)}
    assert len(live) == 3
    rebuild(world.log, world.tables)
    assert live == {run.id: (run.facets, run.uses) for run in world.tables.runs(ids)}


def test_what_was_known_of_runs_runs_counts_no_more_when_one_has_left_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(state_module, "RUNS_IN_MEMORY", 0)
    world = World([run("START", "a", 0, "r")])
    last = decode(encoded(run("COMPLETE", "a", 2, "r", outputs=["out"])))
    runs = PrefetchedRuns(world.state, world.tables, [last])
    runs.fetch()
    world.ingest(run("RUNNING", "a", 1, "r", inputs=["in"]))
    _write(world.tables, world.state)
    (stored,) = runs.runs([RunId("r")])
    assert len(stored.uses) == 1


def test_runs_are_fetched_once_even_if_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World([run("START", "a", 0, "old")])
    world.state.runs.clear()
    events = [decode(encoded(run("START", "a", 0, each))) for each in ("old", "new")]
    runs = PrefetchedRuns(world.state, world.tables, events)
    runs.fetch()
    monkeypatch.setattr(world.tables, "runs", lambda ids: pytest.fail(f"queried {ids} again"))
    assert [stored.id for stored in runs.runs([RunId("new"), RunId("old")])] == ["old"]
