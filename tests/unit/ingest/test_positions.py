"""Waiting for a position of the log to be in the state."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from headwater.errors import NotYet
from headwater.ids import Position
from headwater.ingest.service import Service
from headwater.openlineage.event import decode
from tests.support.make import encoded, run
from tests.support.world import World


@asynccontextmanager
async def started(world: World) -> AsyncIterator[Service]:
    service = Service(world.log, world.tables, world.state)
    await service.start()
    try:
        yield service
    finally:
        for task in service._tasks:
            task.cancel()


async def ingest(service: Service, number: int) -> None:
    await service.ingest([decode(encoded(run("RUNNING", "load", number)))])


async def test_a_position_that_was_reached_is_not_waited_for() -> None:
    async with started(World([run("START", "load")])) as service:
        await service.reached(Position(0), 0)
        await service.reached(Position(1), 0)


async def test_a_position_in_the_future_is_waited_for() -> None:
    async with started(World([])) as service:
        second, third = (asyncio.create_task(service.reached(Position(n), 30)) for n in (2, 3))
        await ingest(service, 1)
        assert not second.done()
        await ingest(service, 2)
        await second
        assert not third.done()
        await ingest(service, 3)
        await third
        assert not service._positions.waiters


async def test_a_position_that_does_not_come_is_given_up() -> None:
    async with started(World([run("START", "load")])) as service:
        with pytest.raises(NotYet, match=r"position 2 was not reached .* the server is at 1"):
            await service.reached(Position(2), 0.001)
        assert not service._positions.waiters


async def test_nobody_waits_for_a_position_when_the_server_stops() -> None:
    async with started(World([])) as service:
        waiting = asyncio.create_task(service.reached(Position(1), 30))
        await asyncio.sleep(0)
        assert await service.release_waiting()
        with pytest.raises(NotYet, match="stopping"):
            await waiting
