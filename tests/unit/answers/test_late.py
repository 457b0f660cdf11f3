"""Which jobs are late and which runs are stuck, now."""

import asyncio
from typing import Any

import pytest
from hypothesis import given

from headwater.answers import late
from headwater.answers.late import LateFinder
from headwater.answers.listing import Listing
from headwater.ids import Micros
from headwater.ingest.service import Service
from headwater.model.entities import Job
from headwater.openlineage.timestamps import parse, to_datetime
from headwater.shapes.late import Late
from headwater.shapes.why import SuspectKind
from headwater.store.rows import take
from headwater.why import pace
from tests.support.examples import examples
from tests.support.make import facet, run, time
from tests.support.strategies import events
from tests.support.world import EventOrEdit, World, close_all

Json = dict[str, Any]
STREAMING = {"jobType": facet(processingType="STREAMING", integration="FLINK")}


def finder_of(world: World) -> LateFinder:
    service = Service(world.log, world.tables, world.state)
    return LateFinder(service, world.renderer, Listing(world.renderer))


def runs(job: str, *minutes: float, took: float = 2) -> list[Json]:
    steps = [(kind, minute + wait) for minute in minutes for kind, wait in (("START", 0), ("COMPLETE", took))]
    return [run(kind, job, at, f"{job} {n // 2}") for n, (kind, at) in enumerate(steps)]


def stream(job: str, *minutes: float) -> list[Json]:
    return [run("RUNNING" if n else "START", job, at, job, job_facets=STREAMING) for n, at in enumerate(minutes)]


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.minute = 0.0
        monkeypatch.setattr(late, "now", lambda: parse(time(self.minute)))

    def ask(self, finder: LateFinder, minute: float, limit: int = 300) -> Late:
        self.minute = minute
        return asyncio.run(finder.late(limit))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_late_jobs_come_with_when_they_were_due_the_longest_overdue_first(clock: Clock) -> None:
    hourly, punctual = runs("hourly", 0, 60, 120, 180, 240), runs("punctual", 100, 160, 220, 280, 340)
    half = runs("half-hourly", 60, 90, 120, 150, 180)
    finder = finder_of(World([*hourly, *half, *punctual]))
    answer = clock.ask(finder, 345)
    assert [job.nodeId for job in answer.late] == ["job:jobs:half-hourly", "job:jobs:hourly"]
    assert (answer.stuck, answer.examined) == ([], 3)
    job = answer.late[1]
    assert (job.expectedAt, job.everySeconds) == (to_datetime(parse(time(300))), 3600)
    assert (job.run.id, job.run.state, job.run.durationMs) == ("hourly 4", "COMPLETED", 120_000)


def test_stuck_runs_come_with_their_last_event_and_what_is_usual(clock: Clock) -> None:
    batch = [*runs("batch", 0, 60, 120, took=10), run("START", "batch", 180, "long")]
    finder = finder_of(World([*batch, *stream("fast", *range(200, 210)), *stream("new", 200, 205)]))
    assert clock.ask(finder, 209.5).stuck == []
    answer = clock.ask(finder, 230)
    assert [(job.name, job.everySeconds, job.usualSeconds) for job in answer.stuck] == [
        ("batch", None, 600),
        ("new", None, None),
        ("fast", 60, None),
    ]
    assert answer.stuck[2].lastEventAt == to_datetime(parse(time(209)))
    assert {job.run.state for job in answer.stuck} == {"RUNNING"}


def test_an_event_ends_the_silence_and_a_run_the_lateness(clock: Clock) -> None:
    world = World([*stream("stream", 0, 1), *runs("hourly", 0, 60, 120, 180, 240)])
    finder = finder_of(world)
    answer = clock.ask(finder, 320)
    assert ([job.name for job in answer.stuck], [job.name for job in answer.late]) == (["stream"], ["hourly"])
    for event in (run("RUNNING", "stream", 319, "stream"), run("START", "hourly", 319, "hourly 5")):
        world.ingest(event)
    world.tables.write(take(world.state), world.state.position)
    answer = clock.ask(finder, 320)
    assert (answer.stuck, answer.late) == ([], [])


def test_the_tables_are_queried_again_only_for_jobs_that_changed(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World([*runs("a", 0, 60, 120, 180, 240), *runs("b", 0, 60, 120, 180, 240), *stream("c", 0, 1)])
    finder = finder_of(world)
    queried: list[list[str]] = []
    latest_runs = world.tables.latest_runs

    def counted(jobs: Any, limit: int) -> Any:
        queried.append([world.state.nodes[job].name for job in jobs])
        return latest_runs(jobs, limit)

    monkeypatch.setattr(world.tables, "latest_runs", counted)
    before, after = clock.ask(finder, 242), clock.ask(finder, 400)
    assert (before.late, [job.name for job in after.late]) == ([], ["a", "b"])
    world.ingest(run("START", "b", 401, "b 5"))
    world.tables.write(take(world.state), world.state.position)
    clock.ask(finder, 402)
    assert queried == [["c", "a", "b"], ["b"]]


def test_only_the_last_active_jobs_are_examined(clock: Clock) -> None:
    finder = finder_of(World([*runs("old", 0, 60, 120, 180, 240), *runs("new", 1, 61, 121, 181, 241)]))
    answer = clock.ask(finder, 400, limit=1)
    assert ([job.name for job in answer.late], answer.examined) == (["new"], 1)


@examples(40)
@given(events)
def test_it_says_what_why_says(events: list[EventOrEdit]) -> None:
    world = World(events)
    try:
        with pytest.MonkeyPatch.context() as monkeypatch:
            at = Micros(max((job.last for job in world.state.nodes if isinstance(job, Job)), default=0) + pace.DAY)
            monkeypatch.setattr(late, "now", lambda: at)
            answer = asyncio.run(finder_of(world).late(1000))
        reported = {job.nodeId for job in (*answer.late, *answer.stuck)}
        expected = set()
        for job in world.state.nodes:
            if isinstance(job, Job) and not world.state.is_hidden(job.node):
                some = pace.seen(world.tables.recent_runs([job.node], at, pace.RUNS).get(job.node, []))
                signs = world.tables.run_signs([run.row for run in some[:1]], at, pace.SIGNS)
                trouble = pace.trouble(world.renderer.jobs.job_type(job), some, signs, at)
                if trouble is not None and trouble.kind in (SuspectKind.RUN_LATE, SuspectKind.RUN_STUCK):
                    expected.add(f"job:{job.namespace}:{job.name}")
        assert reported == expected
    finally:
        close_all()
