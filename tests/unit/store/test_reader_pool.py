"""Queries to the store in reader processes: real readers over a real store."""

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
from headwater.store.reader_pool import ReaderPool, ThreadRunner
from tests.integration.samples import recorded
from tests.support import make
from tests.support.world import World, record


@asynccontextmanager
async def started(world: World) -> AsyncIterator[ReaderPool]:
    pool = ReaderPool(Path(world._folder.name), world.log, world.tables)
    await pool.start()
    try:
        yield pool
    finally:
        await pool.close()


def a_world() -> World:
    nominal_time = {"nominalTime": make.facet(nominalStartTime="2026-01-01T00:00:00Z")}
    return World([make.run("COMPLETE", "load", n, f"r{n}", ["raw"], ["clean"], nominal_time) for n in range(3)])


def raise_not_found(name: str) -> None:
    raise NotFound(f"no {name}")


async def test_results_are_those_of_the_store_itself() -> None:
    world = a_world()
    tables, log, load = world.tables, world.log, world.node("load()")
    async with started(world) as pool:
        for runner in (pool, ThreadRunner()):
            runs, contents = await runner.run(pages.runs_of_job, tables, log, load, 2, 0)
            assert [run.id for run in runs] == ["r2", "r1"]
            assert runs == tables.runs_of_job(load, 2, 0) == await runner.run(tables.runs_of_job, load, 2, 0)
            assert contents == log.contents(contents)
            assert [b"nominalStart" in content for content in contents.values()] == [True]
            total, events = await runner.run(pages.events, tables, log, EventFilter(limit=2))
            assert (total, [event.position for event in events]) == (3, [3, 2])
            assert events == log.events([event.position for event in events])


async def test_what_was_written_a_moment_ago_is_read() -> None:
    world = a_world()
    async with started(world) as pool:
        for number in range(3, 6):
            world.append([record(make.run("COMPLETE", "load", number, f"r{number}"))])
            assert [run.id for run in await pool.run(world.tables.runs, [RunId(f"r{number}")])] == [f"r{number}"]


async def test_a_long_query_does_not_hold_up_the_others() -> None:
    async with started(a_world()) as pool:
        long = asyncio.create_task(pool.run(time.sleep, 60))
        others = await asyncio.gather(*(pool.run(os.getpid) for _ in range(20)))
        assert os.getpid() not in others
        assert not long.done()
        (sleeping,) = (reader for reader in pool._readers if reader.query is not None)
        long.cancel()
        while sleeping in pool._readers:  # nobody waits for its result any more
            await asyncio.sleep(0.05)
        assert await pool.run(abs, -1) == 1


async def test_a_killed_reader_is_replaced_and_its_queries_are_run_by_another() -> None:
    async with started(a_world()) as pool:
        queries = [asyncio.create_task(pool.run(time.sleep, 0.5)) for _ in range(4)]
        while not all(reader.query for reader in pool._readers) or len(pool._readers) < 3:
            await asyncio.sleep(0.01)
        before = [reader.process.pid for reader in pool._readers]
        for process in before:
            os.kill(process, signal.SIGKILL)
        await asyncio.gather(*queries)
        assert await pool.run(os.getpid) not in before


async def test_a_query_that_ends_its_reader_fails_and_others_do_not() -> None:
    async with started(a_world()) as pool:
        fatal = asyncio.create_task(pool.run(os._exit, 3))
        others = [asyncio.create_task(pool.run(abs, -number)) for number in range(10)]
        with pytest.raises(StoreUnavailable, match="ended"):
            await fatal
        assert await asyncio.gather(*others) == list(range(10))


async def test_failures_come_back_as_what_they_are() -> None:
    async with started(a_world()) as pool:
        with pytest.raises(NotFound, match="no such thing"):
            await pool.run(raise_not_found, "such thing")
        with pytest.raises(BadEvent) as refused:
            await pool.run(decode_batch, b"no JSON")
        assert refused.value.malformed
        assert refused.value.problems == (Problem("", str(refused.value)),)
        with pytest.raises(StoreUnavailable, match="division"):
            await pool.run(divmod, 1, 0)
        assert await pool.run(abs, -1) == 1


async def test_a_batch_is_read_elsewhere_as_it_is_here() -> None:
    texts = [make.encoded(event) for event in recorded()]
    body = b"[" + b", ".join([*texts, b"{}", b"1"]) + b"]"
    async with started(a_world()) as pool:
        events = await pool.run(decode_batch, body)
    assert events == decode_batch(body)
    assert events[: len(texts)] == [decode(text) for text in texts]
    assert [isinstance(refused, str) for refused in events[len(texts) :]] == [True, True]


def repeated(text: bytes, times: int) -> bytes:
    return text * times


@pytest.mark.parametrize("megabytes", [1, 9])
async def test_long_queries_and_results_arrive_whole_whether_they_fit_into_the_buffer_or_not(megabytes: int) -> None:
    half = os.urandom(megabytes << 19)
    async with started(a_world()) as pool:
        assert await pool.run(repeated, half, 2) == half * 2
        assert await pool.run(len, half * 2) == megabytes << 20
        assert await pool.run(repeated, half, 0) == b""
        both = await asyncio.gather(*(pool.run(repeated, bytes([n]), 1 << 20) for n in range(12)))
        assert both == [bytes([n]) * (1 << 20) for n in range(12)]


async def test_a_query_that_cannot_be_sent_fails_and_others_do_not() -> None:
    async with started(a_world()) as pool:
        with pytest.raises((AttributeError, pickle.PicklingError)):
            await pool.run(lambda: 1)
        assert await pool.run(repeated, b"a", 2) == b"aa"


async def test_whether_a_reader_is_free_is_known() -> None:
    async with started(a_world()) as pool:
        assert pool.is_free()
        queries = [asyncio.create_task(pool.run(time.sleep, 0.3)) for _ in range(5)]
        await asyncio.sleep(0)
        assert not pool.is_free()
        await asyncio.gather(*queries)
        assert pool.is_free()
    assert not ThreadRunner().is_free()


async def test_more_readers_are_started_when_one_is_not_enough_and_no_more_than_three() -> None:
    async with started(a_world()) as pool:
        assert await pool.run(abs, -1) == 1
        assert len(pool._readers) == 1
        await asyncio.gather(*(pool.run(time.sleep, 0.3) for _ in range(9)))
        assert len(pool._readers) == 3


async def test_a_reader_that_cannot_be_started_is_started_with_the_next_query(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no more processes")

    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "Popen", refuse)
        world = a_world()
        pool = ReaderPool(Path(world._folder.name), world.log, world.tables)
        await pool.start()
        waiting = asyncio.create_task(pool.run(abs, -1))
        await asyncio.sleep(0.05)
        assert not waiting.done()
    assert await pool.run(abs, -2) == 2
    assert await waiting == 1
    await pool.close()


async def test_readers_end_when_the_pool_is_closed() -> None:
    async with started(a_world()) as pool:
        processes = [reader.process for reader in pool._readers]
        assert [process.poll() for process in processes] == [None] * len(processes)
    assert [process.poll() for process in processes] == [0] * len(processes)
