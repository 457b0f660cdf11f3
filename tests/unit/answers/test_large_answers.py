"""Large answers go one at a time; small ones never wait."""

import asyncio

from headwater.answers.large_answers import Lane


async def test_large_answers_go_one_at_a_time() -> None:
    lane = Lane(lambda: False)
    inside = most = 0

    async def large() -> None:
        nonlocal inside, most
        async with lane.large(10_000):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.001)
            inside -= 1

    await asyncio.gather(*(large() for _ in range(5)))
    assert most == 1


async def test_small_answers_pass_while_a_large_one_is_made() -> None:
    lane = Lane(lambda: True)
    async with lane.large(10_000), asyncio.timeout(5), lane.large(10):
        pass


async def test_the_lane_stays_closed_after_a_large_answer_only_while_events_come_in() -> None:
    busy = True
    lane = Lane(lambda: busy)
    async with lane.large(10_000):
        pass
    assert lane._free.locked()
    async with lane.large(10_000):  # opens by itself
        busy = False
    assert not lane._free.locked()


async def test_an_answer_that_fails_gives_the_lane_free() -> None:
    lane = Lane(lambda: False)
    try:
        async with lane.large(10_000):
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert not lane._free.locked()
