"""Questions to the store in processes of their own: real readers over a real store."""

import asyncio
import os
import pickle
import signal
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from headwater.errors import BadEvent, NotFound, Problem, StoreUnavailable
from headwater.ids import RunId
from headwater.openlineage.event import decode, decode_batch
from headwater.store import pages
from headwater.store.protocol import EventFilter
from headwater.store.reader_pool import InProcesses, InThreads
from tests.integration.samples import recorded
from tests.support import make
from tests.support.world import World, record


@asynccontextmanager
async def asking(world: World) -> AsyncIterator[InProcesses]:
    asker = InProcesses(Path(world._folder.name), world.log, world.tables)
    await asker.start()
    try:
        yield asker
    finally:
        await asker.close()


def a_world() -> World:
    told = {"nominalTime": make.facet(nominalStartTime="2026-01-01T00:00:00Z")}
    return World([make.run("COMPLETE", "load", n, f"r{n}", ["raw"], ["clean"], told) for n in range(3)])


def say_not_found(name: str) -> None:
    raise NotFound(f"no {name}")


async def test_answers_are_those_of_the_store_itself() -> None:
    world = a_world()
    tables, log, load = world.tables, world.log, world.node("load()")
    async with asking(world) as asker:
        for way in (asker, InThreads()):
            runs, bodies = await way.ask(pages.runs_of_job, tables, log, load, 2, 0)
            assert [run.id for run in runs] == ["r2", "r1"]
            assert runs == tables.runs_of_job(load, 2, 0) == await way.ask(tables.runs_of_job, load, 2, 0)
            assert bodies == log.contents(bodies)
            assert [b"nominalStart" in body for body in bodies.values()] == [True]
            total, events = await way.ask(pages.events, tables, log, EventFilter(limit=2))
            assert (total, [event.position for event in events]) == (3, [3, 2])
            assert events == log.events([event.position for event in events])


async def test_what_was_written_a_moment_ago_is_read() -> None:
    world = a_world()
    async with asking(world) as asker:
        for number in range(3, 6):
            world.append([record(make.run("COMPLETE", "load", number, f"r{number}"))])
            assert [run.id for run in await asker.ask(world.tables.runs, [RunId(f"r{number}")])] == [f"r{number}"]


async def test_a_long_question_does_not_hold_up_the_others() -> None:
    async with asking(a_world()) as asker:
        long = asyncio.create_task(asker.ask(time.sleep, 60))
        others = await asyncio.gather(*(asker.ask(os.getpid) for _ in range(20)))
        assert os.getpid() not in others
        assert not long.done()
        (sleeping,) = (reader for reader in asker._readers if reader.asked is not None)
        long.cancel()
        while sleeping in asker._readers:  # nobody waits for its answer any more
            await asyncio.sleep(0.05)
        assert await asker.ask(abs, -1) == 1


async def test_a_killed_reader_is_replaced_and_its_questions_are_answered_by_another() -> None:
    async with asking(a_world()) as asker:
        asked = [asyncio.create_task(asker.ask(time.sleep, 0.5)) for _ in range(4)]
        while not all(reader.asked for reader in asker._readers) or len(asker._readers) < 3:
            await asyncio.sleep(0.01)
        before = [reader.process.pid for reader in asker._readers]
        for process in before:
            os.kill(process, signal.SIGKILL)
        await asyncio.gather(*asked)
        assert await asker.ask(os.getpid) not in before


async def test_a_question_that_ends_its_reader_fails_and_others_do_not() -> None:
    async with asking(a_world()) as asker:
        fatal = asyncio.create_task(asker.ask(os._exit, 3))
        others = [asyncio.create_task(asker.ask(abs, -number)) for number in range(10)]
        with pytest.raises(StoreUnavailable, match="ended"):
            await fatal
        assert await asyncio.gather(*others) == list(range(10))


async def test_failures_come_back_as_what_they_are() -> None:
    async with asking(a_world()) as asker:
        with pytest.raises(NotFound, match="no such thing"):
            await asker.ask(say_not_found, "such thing")
        with pytest.raises(BadEvent) as refused:
            await asker.ask(decode_batch, b"no JSON")
        assert refused.value.malformed
        assert refused.value.problems == (Problem("", str(refused.value)),)
        with pytest.raises(StoreUnavailable, match="division"):
            await asker.ask(divmod, 1, 0)
        assert await asker.ask(abs, -1) == 1


async def test_a_batch_is_read_elsewhere_as_it_is_here() -> None:
    texts = [make.encoded(event) for event in recorded()]
    body = b"[" + b", ".join([*texts, b"{}", b"1"]) + b"]"
    async with asking(a_world()) as asker:
        found = await asker.ask(decode_batch, body)
    assert found == decode_batch(body)
    assert found[: len(texts)] == [decode(text) for text in texts]
    assert [isinstance(refused, str) for refused in found[len(texts) :]] == [True, True]


def repeated(text: bytes, times: int) -> bytes:
    return text * times


@pytest.mark.parametrize("megabytes", [1, 9])
async def test_long_questions_and_answers_arrive_whole_whether_there_is_room_for_them_or_not(megabytes: int) -> None:
    half = os.urandom(megabytes << 19)
    async with asking(a_world()) as asker:
        assert await asker.ask(repeated, half, 2) == half * 2
        assert await asker.ask(len, half * 2) == megabytes << 20
        assert await asker.ask(repeated, half, 0) == b""
        both = await asyncio.gather(*(asker.ask(repeated, bytes([n]), 1 << 20) for n in range(12)))
        assert both == [bytes([n]) * (1 << 20) for n in range(12)]


async def test_a_question_that_cannot_be_sent_fails_and_others_do_not() -> None:
    async with asking(a_world()) as asker:
        with pytest.raises((AttributeError, pickle.PicklingError)):
            await asker.ask(lambda: 1)
        assert await asker.ask(repeated, b"a", 2) == b"aa"


async def test_whether_a_reader_is_free_is_known() -> None:
    async with asking(a_world()) as asker:
        assert asker.is_free()
        asked = [asyncio.create_task(asker.ask(time.sleep, 0.3)) for _ in range(5)]
        await asyncio.sleep(0)
        assert not asker.is_free()
        await asyncio.gather(*asked)
        assert asker.is_free()
    assert not InThreads().is_free()


async def test_more_readers_are_started_when_one_is_not_enough_and_no_more_than_three() -> None:
    async with asking(a_world()) as asker:
        assert await asker.ask(abs, -1) == 1
        assert len(asker._readers) == 1
        await asyncio.gather(*(asker.ask(time.sleep, 0.3) for _ in range(9)))
        assert len(asker._readers) == 3


async def test_a_reader_that_cannot_be_started_is_started_at_the_next_question(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no more processes")

    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "Popen", refuse)
        world = a_world()
        asker = InProcesses(Path(world._folder.name), world.log, world.tables)
        await asker.start()
        waiting = asyncio.create_task(asker.ask(abs, -1))
        await asyncio.sleep(0.05)
        assert not waiting.done()
    assert await asker.ask(abs, -2) == 2
    assert await waiting == 1
    await asker.close()


async def test_readers_end_when_nobody_can_ask_them_any_more() -> None:
    async with asking(a_world()) as asker:
        processes = [reader.process for reader in asker._readers]
        assert [process.poll() for process in processes] == [None] * len(processes)
    assert [process.poll() for process in processes] == [0] * len(processes)
