"""The index follows the state: after any events, restarts and failures it is that of the state."""

import asyncio
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import StoreUnavailable
from headwater.ids import Micros, Node
from headwater.ingest.service import Service
from headwater.model.shown import is_shown
from headwater.search.documents import Document, Documents
from headwater.search.highlight import is_close
from headwater.search.index import FORMAT, Index, IndexUnusable
from headwater.search.search import Search, SearchQuery
from headwater.search.words import query_words, words
from tests.support import make
from tests.support.examples import examples
from tests.support.strategies import events
from tests.support.world import EventOrEdit, World, close_all
from tests.unit.search.searching import names, search_for, searching, tell

_QUESTIONS = (
    "a",
    "b",
    "c d",
    "job",
    "job_a",
    "x",
    "kafka",
    "b1",
    "db a",
    "kafka://b2/c",
    "jobs:job_b",
    "zzz",
    "kafak a",
)


async def answers(search: Search) -> dict[str, Any]:
    await search.reached(search._state.position)
    results = {}
    for text in _QUESTIONS:
        answer = await search.ask(SearchQuery(text, limit=100))
        results[text] = answer.total, [(h.score, h.document, h.highlights) for h in answer.hits]
    return results


def fits(document: Document, text: str) -> bool:
    """A word after the other, everywhere."""
    names = [document.name, *document.aliases]
    every = words([*names, *document.tags, *document.owners, *document.columns, document.namespace])
    every |= words([document.description or "", document.sql or ""])
    return all(any(one.startswith(word.text) for one in every) for word in query_words(text).words)


def fits_loosely(document: Document, text: str) -> bool:
    every = words([document.name, *document.aliases, document.namespace])
    return any(
        is_close(one, word.text, beginning=word.last)
        for word in query_words(text).words
        if word.may_have_a_typo
        for one in every
    )


@examples(12)
@given(events, st.lists(st.sampled_from(["restart", "stop short", "go on", "lose it"]), min_size=8, max_size=8))
def test_a_followed_index_equals_a_fresh_one_and_a_scan(events: list[EventOrEdit], fates: list[str]) -> None:
    async def run() -> None:
        world = World([])
        with tempfile.TemporaryDirectory() as folder:
            search = search_for(world, Path(folder))
            await search.start()
            for event, fate in zip(events, fates, strict=False):
                tell(world, [event])
                if fate != "stop short":
                    results = await answers(search)
                    async with searching(world) as fresh:
                        assert results == await answers(fresh)
                if fate != "go on":
                    await search.stop()
                    if fate == "lose it":
                        (Path(folder) / "search" / "format").unlink()
                    search = search_for(world, Path(folder))
                    await search.start()
            results = await answers(search)
            await search.stop()
        shown = [Node(n) for n in range(len(world.state.nodes)) if is_shown(world.state, Node(n))]
        every = await Documents(Service(world.log, world.tables, world.state), world.contents).read(shown)
        for text, (total, hits) in results.items():
            scanned = {document.node_id for document in every if fits(document, text)}
            hit_ids = {document.node_id for _, document, _ in hits}
            assert total == len(hit_ids) == len(hits)
            assert scanned <= hit_ids
            for document in every:
                if document.node_id in hit_ids - scanned:
                    words_apart = [fits(document, word.text) for word in query_words(text).words]
                    assert fits_loosely(document, text) or (not scanned and any(words_apart))

    try:
        asyncio.run(run())
    finally:
        close_all()


async def test_what_was_reported_is_found_at_once_and_its_position_reached() -> None:
    world = World([])
    async with searching(world) as search:
        for n in range(20):
            tell(world, [make.dataset_event(f"orders_{n}", n)])
            assert names(await search.ask(SearchQuery(f"orders_{n}")))[0] == f"orders_{n}"
        tell(world, [make.dataset_event("late", 30)])
        await search.reached(world.state.position)
        assert search.position == world.state.position


async def test_an_index_that_is_up_to_date_is_not_written_at_a_start(tmp_path: Path) -> None:
    world = World([make.dataset_event("orders")])
    async with searching(world, tmp_path) as search:
        await search.reached(world.state.position)
    before = sorted(file.name for file in (tmp_path / "search").iterdir())
    async with searching(world, tmp_path) as search:
        assert names(await search.ask(SearchQuery("orders"))) == ["orders"]
    assert sorted(file.name for file in (tmp_path / "search").iterdir()) == before


async def test_runs_that_change_nothing_but_the_minute_write_nothing(tmp_path: Path) -> None:
    world = World([make.run("START", "load", 0, "r1", ["raw"], ["clean"])])
    async with searching(world, tmp_path) as search:
        await search.reached(world.state.position)
        before = sorted(file.name for file in (tmp_path / "search").iterdir())
        tell(world, [make.run("COMPLETE", "load", minute, "r1", ["raw"], ["clean"]) for minute in range(1, 9)])
        await search.reached(world.state.position)
    assert sorted(file.name for file in (tmp_path / "search").iterdir()) == before


_HOUR = 60.0  # `make` counts minutes


async def test_while_events_come_in_another_hour_alone_writes_nothing_but_is_there_for_whoever_asks_by_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World([make.dataset_event("orders"), make.dataset_event("orders_old")])
    async with searching(world, tmp_path) as search:
        await search.reached(world.state.position)
        monkeypatch.setattr(search, "_events_come_in", lambda: True)
        search._times_written = time.monotonic()
        before = sorted(file.name for file in (tmp_path / "search").iterdir())
        tell(world, [make.dataset_event("orders", 5 * _HOUR)])
        await search.reached(world.state.position)
        assert names(await search.ask(SearchQuery("orders"))) == ["orders", "orders_old"]
        assert sorted(file.name for file in (tmp_path / "search").iterdir()) == before
        later = Micros(world.state.dataset_of(world.node("orders")).last - 1)
        assert names(await search.ask(SearchQuery("orders", after=later))) == ["orders"]
        assert sorted(file.name for file in (tmp_path / "search").iterdir()) != before


@pytest.mark.parametrize("calm", [True, False])
async def test_hours_are_written_when_it_is_quiet_and_now_and_then_otherwise(
    calm: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headwater.search.following._TIMES_AT_ONCE", 3)
    world = World([make.dataset_event(f"orders_{n}") for n in range(5)])
    async with searching(world) as search:
        await search.reached(world.state.position)
        monkeypatch.setattr(search, "_events_come_in", lambda: not calm)
        tell(world, [make.dataset_event(f"orders_{n}", 5 * _HOUR) for n in range(5)])
        await search.reached(world.state.position)
        assert len(search._late) == (0 if calm else 2)


async def test_an_index_of_a_longer_log_forgets_what_is_not_in_this_one(tmp_path: Path) -> None:
    longer = World([make.dataset_event("orders"), make.dataset_event("orders_later", 1)])
    async with searching(longer, tmp_path) as search:
        assert len((await search.ask(SearchQuery("orders"))).hits) == 2
    async with searching(World([make.dataset_event("orders")]), tmp_path) as search:
        answer = await search.ask(SearchQuery("orders"))
        assert (answer.total, names(answer)) == (1, ["orders"])


async def test_an_index_of_another_log_becomes_that_of_this_one(tmp_path: Path) -> None:
    async with searching(World([make.dataset_event("orders"), make.job_event("load")]), tmp_path) as search:
        await search.reached(search._state.position)
    world = World([make.job_event("load"), make.dataset_event("prices")])
    async with searching(world, tmp_path) as search:
        assert names(await search.ask(SearchQuery("orders"))) == []
        assert names(await search.ask(SearchQuery("load"))) == ["load()"]
        assert names(await search.ask(SearchQuery("prices"))) == ["prices"]


# Damage


def _overwrite(file: Path) -> None:
    content = bytearray(file.read_bytes())
    for at in range(len(content) // 3, min(len(content) // 3 + 8, len(content))):
        content[at] ^= 0xFF
    file.write_bytes(content)


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


@pytest.mark.parametrize(
    "ending", [".term", ".idx", ".fast", ".fieldnorm", ".store", "meta.json", "format", ".managed.json"]
)
@pytest.mark.parametrize("damage", [Path.unlink, _overwrite, _cut], ids=["deleted", "overwritten", "cut"])
async def test_a_damaged_index_is_made_anew(tmp_path: Path, ending: str, damage: Any) -> None:
    world = World([make.dataset_event(f"orders_{n}", n, make.schema("price")) for n in range(30)])
    async with searching(world, tmp_path) as search:
        expected = await search.ask(SearchQuery("price", limit=100))
        assert expected.total == 30
    for file in (tmp_path / "search").iterdir():
        if file.name.endswith(ending):
            damage(file)
    async with searching(world, tmp_path) as search:
        assert await search.ask(SearchQuery("price", limit=100)) == expected
    async with searching(world, tmp_path) as search:  # and stays sound
        assert await search.ask(SearchQuery("price", limit=100)) == expected


def test_an_index_of_another_format_is_not_opened(tmp_path: Path) -> None:
    Index(tmp_path / "search", anew=True).close()
    Index(tmp_path / "search").close()
    (tmp_path / "search" / "format").write_text(str(FORMAT + 1))
    with pytest.raises(IndexUnusable, match="another format"):
        Index(tmp_path / "search")


async def test_an_index_that_is_deleted_while_it_is_used_comes_back(tmp_path: Path) -> None:
    world = World([make.dataset_event("orders")])
    async with searching(world, tmp_path) as search:
        assert names(await search.ask(SearchQuery("orders"))) == ["orders"]
        for file in (tmp_path / "search").iterdir():
            file.unlink()
        (tmp_path / "search").rmdir()
        tell(world, [make.dataset_event("prices", 1)])
        with pytest.raises(StoreUnavailable):
            await search.reached(world.state.position)
        assert names(await search.ask(SearchQuery("orders"))) == ["orders"]  # what was opened still answers
        await search.reached(world.state.position)
        assert names(await search.ask(SearchQuery("prices"))) == ["prices"]
        assert names(await search.ask(SearchQuery("orders"))) == ["orders"]
        assert (tmp_path / "search" / "meta.json").exists()


async def test_a_folder_that_cannot_be_used_refuses_searches_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "search").write_text("no folder")
    world = World([make.dataset_event("orders")])
    async with searching(world, tmp_path) as search:
        with pytest.raises(StoreUnavailable):
            await search.ask(SearchQuery("orders"))


async def test_a_build_that_is_stopped_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.search.following._DOCUMENTS_PER_COMMIT", 50)
    world = World([make.dataset_event(f"orders_{n}", n) for n in range(600)])
    rounds = random.Random(4)
    for _ in range(5):
        async with searching(world, tmp_path):
            await asyncio.sleep(rounds.random() * 0.05)
    async with searching(world, tmp_path) as search:
        assert (await search.ask(SearchQuery("orders"))).total == 600
