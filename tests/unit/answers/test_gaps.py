"""Jobs without owner, datasets without producer or consumer."""

import asyncio
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from headwater.answers.gaps import (
    DATASETS_WITHOUT_CONSUMER,
    DATASETS_WITHOUT_PRODUCER,
    JOBS_WITHOUT_OWNER,
    KINDS,
    GapFinder,
)
from headwater.answers.listing import Listing
from headwater.facet_contents import Contents
from tests.support import make
from tests.support.examples import examples
from tests.support.strategies import events, minutes, names
from tests.support.world import EventOrEdit, World, close_all


def finder_of(world: World) -> GapFinder:
    return GapFinder(world.renderer, Listing(world.renderer))


def names_in(
    finder: GapFinder, kind: str, namespace: str | None = None, limit: int = 1000, offset: int = 0
) -> list[str]:
    return [node.name for node in asyncio.run(finder.gaps(kind, namespace, limit, offset)).nodes]


def owned(*owners: str) -> dict[str, Any]:
    return {"ownership": make.facet(owners=[{"name": owner} for owner in owners])}


def test_what_is_missing_is_found() -> None:
    world = World(
        [
            make.run("COMPLETE", "load", 0, "r1", ["raw"], ["mid"], job_facets=owned("team")),
            make.run("COMPLETE", "send", 1, "r2", ["mid"], ["out"], job_facets=owned()),
            make.dataset_event("lonely", 2),
        ]
    )
    finder = finder_of(world)
    assert names_in(finder, JOBS_WITHOUT_OWNER) == ["send"]
    assert names_in(finder, DATASETS_WITHOUT_PRODUCER) == ["lonely", "raw"]
    assert names_in(finder, DATASETS_WITHOUT_CONSUMER) == ["lonely", "out"]


def test_an_alias_and_a_dropped_dataset_are_no_gap() -> None:
    world = World(
        [
            make.dataset_event("physical", 0, make.symlinks(("db", "logical"))),
            make.run("COMPLETE", "load", 1, "r1", ["logical"], ["gone"]),
            make.run("COMPLETE", "drop", 2, "r2", [], [make.dataset("gone", make.lifecycle("DROP"))]),
        ]
    )
    finder = finder_of(world)
    assert names_in(finder, DATASETS_WITHOUT_CONSUMER) == []
    assert names_in(finder, DATASETS_WITHOUT_PRODUCER) == ["physical"]


def test_what_was_deleted_is_no_gap_and_leaves_gaps_around_it() -> None:
    events = [
        make.run("COMPLETE", "load", 0, "r1", ["raw"], ["mid"]),
        make.run("COMPLETE", "send", 1, "r2", ["mid"], ["out"]),
    ]
    finder = finder_of(World([*events, make.deletion(make.job_ref("load"), make.dataset_ref("out"), at=5)]))
    assert names_in(finder, JOBS_WITHOUT_OWNER) == ["send"]
    assert names_in(finder, DATASETS_WITHOUT_PRODUCER) == ["mid", "raw"]
    assert names_in(finder, DATASETS_WITHOUT_CONSUMER) == ["raw"]


def test_pages_and_namespaces() -> None:
    events = [
        make.dataset_event((namespace, name)) for namespace in ("a", "a\x01", "ab", "b") for name in ("x", "y", "z")
    ]
    finder = finder_of(World(events))
    answer = asyncio.run(finder.gaps(DATASETS_WITHOUT_PRODUCER, "a", 2, 1))
    assert (answer.totalCount, [node.nodeId for node in answer.nodes]) == (3, ["dataset:a:y", "dataset:a:z"])
    assert names_in(finder, DATASETS_WITHOUT_PRODUCER, "a", 10, 3) == []
    assert names_in(finder, DATASETS_WITHOUT_PRODUCER, "nowhere") == []
    assert asyncio.run(finder.gaps(DATASETS_WITHOUT_PRODUCER, None, 0, 0)).totalCount == 12


ownership = st.one_of(st.just(owned()), st.just(owned("team")), st.just({"ownership": make.deleted()}))
with_owners = st.lists(
    st.one_of(
        events.map(lambda pair: pair[0]),
        st.builds(lambda n, t, f: make.job_event(f"job_{n}", t, f), names, minutes, ownership),
    ),
    min_size=1,
    max_size=8,
)


@examples(40)
@given(with_owners)
def test_cached_lists_equal_fresh_ones_after_every_event(events: list[EventOrEdit]) -> None:
    world = World([])
    try:
        cached = finder_of(world)
        for event in events:
            world.ingest(event)
            lists = [names_in(cached, kind) for kind in KINDS]
            touched = set(world.state.touched)
            world.renderer.contents = Contents(world.log)
            fresh = finder_of(world)
            assert lists == [names_in(fresh, kind) for kind in KINDS]
            world.state.touched = touched
    finally:
        close_all()
