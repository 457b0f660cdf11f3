"""Pages of jobs: what is cached is never stale, and a page costs one statement."""

import asyncio
from typing import Any

import msgspec
import pytest
from hypothesis import given

from headwater.answers.job_pages import JobPages
from headwater.answers.listing import Listing
from headwater.answers.render import Renderer
from headwater.facet_contents import Contents
from headwater.ingest.service import Service
from headwater.model.entities import Job
from headwater.store.rows import take
from tests.support import make
from tests.support.examples import examples
from tests.support.strategies import events
from tests.support.world import EventOrEdit, World, close_all


def pages_of(world: World) -> JobPages:
    return JobPages(Renderer(world.state, Contents(world.log)), Service(world.log, world.tables, world.state))


def shown(pages: JobPages, jobs: list[Job]) -> list[dict[str, Any]]:
    page: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(asyncio.run(pages.page(jobs))))
    return page


def all_jobs(world: World) -> list[Job]:
    return [entity for entity in world.state.nodes if isinstance(entity, Job)]


def test_a_job_has_its_last_ten_runs_the_latest_first() -> None:
    events = [make.run("COMPLETE", "load", n, f"r{n:02}", ["raw"], ["clean"]) for n in range(12)]
    world = World([*events, make.run("START", "other", 3, "o1", facets=make.parent("load", "r99"))])
    load, other = shown(pages_of(world), all_jobs(world))
    assert [run["id"] for run in load["latestRuns"]] == [f"r{n:02}" for n in range(11, 1, -1)]
    assert load["latestRun"] == load["latestRuns"][0]
    assert load["latestRun"]["jobVersion"]["version"] == load["currentVersion"]
    assert (other["latestRun"]["state"], other["currentVersion"]) == ("RUNNING", None)


def test_a_page_takes_one_question_to_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World([make.run("COMPLETE", f"job_{n}", n, f"r{n}", ["raw"], ["clean"]) for n in range(20)])
    statements = []
    ask = world.tables._query

    def counted(sql: str, *parameters: Any) -> Any:
        statements.append(sql)
        return ask(sql, *parameters)

    monkeypatch.setattr(world.tables, "_query", counted)
    page, total = Listing(world.renderer).jobs(None, 20, 0)
    assert total == len(shown(pages_of(world), page)) == 20
    assert len(statements) == 1


@examples(40)
@given(events)
def test_a_cached_page_equals_a_fresh_one_after_every_event(events: list[EventOrEdit]) -> None:
    world = World([])
    try:
        cached = pages_of(world)
        for event in events:
            world.ingest(event)
            world.tables.write(take(world.state), world.state.position)
            jobs = all_jobs(world)
            assert shown(cached, jobs) == shown(pages_of(world), jobs)
    finally:
        close_all()
