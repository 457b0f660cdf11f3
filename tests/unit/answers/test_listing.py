"""Lists are in order and complete after every event."""

from typing import Any

from hypothesis import given

from headwater.answers.listing import Listing
from headwater.answers.render import Renderer
from headwater.api.routes.jobs import RUN_STATES
from headwater.facet_contents import Contents
from headwater.ingest.folding import fold
from headwater.openlineage.timestamps import now
from tests.support import make
from tests.support.examples import examples
from tests.support.strategies import events
from tests.support.world import EventOrEdit, World, close_all, record


def page(listing: Listing, states: tuple[str, ...]) -> tuple[list[str], int]:
    jobs, total = listing.jobs(None, 100, 0, states)
    return [job.name for job in jobs], total


def lists(listing: Listing, world: World) -> dict[str, Any]:
    answers: dict[str, Any] = {"": [j.name for j in listing.jobs(None, 100, 0)[0]]}
    answers["by state"] = {states: page(listing, states) for states in (*((s,) for s in RUN_STATES), RUN_STATES[2:])}
    moments = [make.micros(hours * 60) for hours in range(0, 150, 10)]
    for created in (listing.created_jobs, listing.created_datasets, listing.created_sources):
        answers[f"created {len(answers)}"] = [created.before(at) for at in moments]
    for namespace in world.state.namespaces:
        jobs, datasets = listing.jobs(namespace, 100, 0), listing.datasets(namespace, 100, 0)
        answers[namespace] = [j.name for j in jobs[0]], jobs[1], list(map(world.name, datasets[0])), datasets[1]
    return answers


@examples(40)
@given(events)
def test_a_cached_list_equals_a_fresh_one_after_every_event(events: list[EventOrEdit]) -> None:
    world = World([])
    try:
        renderer = Renderer(world.state, Contents(world.log))
        cached = Listing(renderer)
        for event in events:
            decoded = record(event)
            (appended,) = world.log.append([decoded], now())
            if not appended.duplicate:
                fold(world.state, world.tables, [(appended.position, decoded)], world.known)
            cached_lists = lists(cached, world)
            assert cached_lists == lists(Listing(renderer), world)
    finally:
        close_all()


def test_jobs_come_latest_first_and_datasets_by_name_without_aliases_and_dropped_ones() -> None:
    world = World(
        [
            make.run("COMPLETE", "old", 0, "r1", ["b"], ["a"]),
            make.run("COMPLETE", "new", 5, "r2", [make.dataset("c", make.symlinks(("db", "alias")))]),
            make.run("COMPLETE", "gone", 3, "r3", outputs=[make.dataset("d", make.lifecycle("DROP"))]),
        ]
    )
    listing = Listing(world.renderer)
    assert [job.name for job in listing.jobs("jobs", 10, 0)[0]] == ["new", "gone", "old"]
    assert [job.name for job in listing.jobs("jobs", 1, 1)[0]] == ["gone"]
    nodes, total = listing.datasets("db", 10, 0)
    assert ([world.name(node) for node in nodes], total) == (["a", "b", "c"], 3)
    assert listing.datasets("nowhere", 10, 0) == ([], 0)
