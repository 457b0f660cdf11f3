"""Impact as JSON: what is cached is never stale, and says what the walk found."""

import asyncio
from typing import Any

import msgspec
import pytest
from hypothesis import given

from headwater.answers import impacts
from headwater.answers.impacts import ImpactWriter
from headwater.answers.large_answers import LargeAnswers
from headwater.answers.render import Renderer
from headwater.facet_contents import Contents
from headwater.graph.columns import Column, columns_of
from headwater.graph.slices import finish
from headwater.graph.when import Always
from headwater.ids import Node
from headwater.model.entities import Dataset
from headwater.shapes.impact import Impact
from tests.support import make
from tests.support.examples import examples
from tests.support.strategies import events
from tests.support.world import EventOrEdit, World, close_all


def writer_of(world: World) -> ImpactWriter:
    return ImpactWriter(Renderer(world.state, Contents(world.log)), LargeAnswers(lambda: False))


def ask(writer: ImpactWriter, start: Node | Column, depth: int = 20, limit: int = 1000) -> Impact:
    body = asyncio.run(writer.impact(start, depth, limit, Always()))
    return msgspec.json.decode(body, type=Impact)


def owned(*names: str) -> dict[str, Any]:
    return {"ownership": make.facet(owners=[{"name": name} for name in names])}


def test_an_answer_shows_owners_runs_and_how_often() -> None:
    world = World(
        [
            make.run(
                "COMPLETE", "load", 0, "r1", ["raw"], [make.dataset("mid", owned("team:b"))], job_facets=owned("a")
            ),
            make.run("COMPLETE", "load", 30, "r2", ["raw"], ["mid"]),
            make.run("START", "load", 120, "r3", ["raw"], ["mid"]),
        ]
    )
    answer = ask(writer_of(world), world.node("raw"))
    assert (answer.nodeId, answer.jobs, answer.datasets, answer.truncated) == ("dataset:db:raw", 1, 1, False)
    assert answer.owners == {"team:b": 1, "a": 1}
    (level,) = answer.levels
    mid, load = level.nodes
    assert (mid.nodeId, mid.type, mid.owners, mid.use) == ("dataset:db:mid", "DATASET", ["team:b"], "UNKNOWN")
    assert (load.nodeId, load.owners, load.runs, load.everySeconds) == ("job:jobs:load", ["a"], 3, 3600.0)
    assert load.latestRun is not None
    assert (load.latestRun.id, load.latestRun.state) == ("r3", "RUNNING")
    assert mid.latestRun == load.latestRun


def test_a_job_that_ran_once_has_no_rhythm() -> None:
    world = World([make.run("COMPLETE", "load", 0, "r1", ["raw"], [])])
    (level,) = ask(writer_of(world), world.node("raw")).levels
    assert (level.nodes[0].runs, level.nodes[0].everySeconds) == (1, None)


def test_from_a_column_the_columns_are_listed() -> None:
    out = make.dataset("out", make.columns(x=["raw.x"], indirect=["raw.f"]))
    world = World([make.run("COMPLETE", "load", 0, "r1", ["raw"], [out])])
    answer = ask(writer_of(world), (world.node("raw"), "f"))
    assert (answer.nodeId, answer.columns) == ("datasetField:db:raw:f", 1)
    (level,) = answer.levels
    assert [(n.nodeId, n.type, n.field, n.use) for n in level.nodes] == [
        ("dataset:db:out", "DATASET", None, "INDIRECT"),
        ("datasetField:db:out:x", "DATASET_FIELD", "x", "INDIRECT"),
        ("job:jobs:load", "JOB", None, "INDIRECT"),
    ]


def test_nothing_downstream_is_an_answer_too() -> None:
    world = World([make.run("COMPLETE", "load", 0, "r1", ["raw"], ["out"])])
    answer = ask(writer_of(world), world.node("out"))
    assert (answer.jobs, answer.datasets, answer.columns, answer.levels, answer.owners) == (0, 0, 0, [], {})


def test_the_writer_of_a_dataset_is_one_that_was_not_deleted() -> None:
    events = [
        make.run("COMPLETE", "load", 0, "r1", ["raw"], ["mid"]),
        make.run("COMPLETE", "other", 1, "r2", ["raw"], ["mid"]),
    ]
    for deleted, latest in (("load", "r2"), ("other", "r1"), ("nobody", "r2")):
        world = World([*events, make.deletion(make.job_ref(deleted), at=5)])
        (level,) = ask(writer_of(world), world.node("raw")).levels
        assert [n.latestRun.id for n in level.nodes if n.nodeId == "dataset:db:mid" and n.latestRun] == [latest]
        assert f"job:jobs:{deleted}" not in [n.nodeId for n in level.nodes]


def fan(jobs: int) -> list[dict[str, Any]]:
    """`raw` feeds many jobs, and each what it wrote to another."""
    return [
        make.run(
            "COMPLETE",
            f"{name}{n}",
            0,
            f"{name}{n}",
            [source],
            [make.dataset(f"{name}_{n}", {**make.columns(**{f"x{n}": [f"{source}.{column}"]}), **owned(f"{name}{n}")})],
            job_facets=owned(f"team:{name}{n}"),
        )
        for n in range(jobs)
        for name, source, column in (("near", "raw", "x"), ("far", f"near_{n}", f"x{n}"))
    ]


def test_the_first_answer_reads_the_facets_of_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(fan(100))
    reads = []
    contents = world.log.contents

    def counted(ids: Any) -> Any:
        reads.append(len(list(ids)))
        return contents(ids)

    monkeypatch.setattr(world.log, "contents", counted)
    answer = ask(writer_of(world), world.node("raw"))
    assert (answer.jobs, answer.datasets, answer.columns, len(answer.owners)) == (200, 200, 200, 400)
    assert sum(reads) == 600  # what each of 200 datasets has from where, and 400 owners
    assert len(reads) < 20


@pytest.mark.parametrize("column", [None, "x"])
def test_another_run_in_a_large_answer_is_shown_without_walking_again(
    column: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(fan(40))
    writer = writer_of(world)
    start = world.node("raw") if column is None else (world.node("raw"), column)
    ask(writer, start)

    def no_walk(*_: Any) -> Any:
        raise AssertionError("it is the same way")

    again = make.run("FAIL", "near7", 60, "again", ["raw"], [make.dataset("near_7", owned("new"))])
    world.ingest(again)
    with monkeypatch.context() as patched:
        patched.setattr(impacts, "impact", no_walk)
        answer = ask(writer, start)
    shown = {node.nodeId: node for level in answer.levels for node in level.nodes}
    hit = [shown["job:jobs:near7"], shown["dataset:db:near_7"]]
    hit += [shown["datasetField:db:near_7:x7"]] if column else []
    for node in hit:
        assert node.latestRun is not None
        assert (node.latestRun.id, node.runs) == ("again", 2)
    assert (answer.owners["new"], "near7" in answer.owners) == (1, False)
    assert answer == ask(writer_of(world), start)

    world.ingest(make.run("COMPLETE", "added", 70, "added", ["near_7"], ["further"]))
    assert answer.jobs + 1 == ask(writer, start).jobs


def everything(writer: ImpactWriter, world: World, contents: Contents) -> list[bytes]:
    state = world.state
    starts: list[Node | Column] = []
    for number, entity in enumerate(state.nodes):
        node = state.aliases.canonical(Node(number))
        starts.append(node)
        if isinstance(entity, Dataset):
            starts += finish(columns_of(state, contents, node))

    async def all_of_them() -> list[bytes]:
        return [
            await writer.impact(start, depth, limit, Always())
            for start in starts
            for depth, limit in ((20, 1000), (1, 1000), (20, 1), (30, 900))
        ]

    return asyncio.run(all_of_them())


@examples(25)
@given(events)
def test_answers_from_the_cache_equal_fresh_ones_after_every_event(events: list[EventOrEdit]) -> None:
    world = World([])
    worth, impacts._FEWEST_CACHED = impacts._FEWEST_CACHED, 0
    try:
        cached = writer_of(world)
        for event in events:
            world.ingest(event)
            contents = Contents(world.log)
            assert everything(cached, world, contents) == everything(writer_of(world), world, contents)
    finally:
        impacts._FEWEST_CACHED = worth
        close_all()


async def test_an_answer_that_an_event_overtook_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The event comes in between two slices of the walk, where the walk has been already."""
    monkeypatch.setattr("headwater.graph.impact._JOBS_PER_SLICE", 1)
    monkeypatch.setattr("headwater.graph.impact._READ_AT_ONCE", 1)
    monkeypatch.setattr("headwater.answers.impacts._FEWEST_CACHED", 0)
    world = World([make.run("COMPLETE", f"load{n}", 0, f"r{n}", ["raw"], [f"d{n}"]) for n in range(20)])
    writer = writer_of(world)
    first = asyncio.create_task(writer.impact(world.node("raw"), 20, 1000, Always()))
    for _ in range(10):
        await asyncio.sleep(0)
    assert not first.done()
    world.ingest(make.run("COMPLETE", "load0", 1, "late", ["raw"], ["extra"]))
    assert b'"dataset:db:extra"' not in await first
    assert b'"dataset:db:extra"' in await writer.impact(world.node("raw"), 20, 1000, Always())
