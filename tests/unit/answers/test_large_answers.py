"""Large answers go one at a time; small ones never wait."""

import asyncio

from headwater.answers.large_answers import LargeAnswers


async def test_large_answers_go_one_at_a_time() -> None:
    large_answers = LargeAnswers(lambda: False)
    inside = most = 0

    async def large() -> None:
        nonlocal inside, most
        async with large_answers.turn(10_000):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.001)
            inside -= 1

    await asyncio.gather(*(large() for _ in range(5)))
    assert most == 1


async def test_small_answers_pass_while_a_large_one_is_made() -> None:
    large_answers = LargeAnswers(lambda: True)
    async with large_answers.turn(10_000), asyncio.timeout(5), large_answers.turn(10):
        pass


async def test_large_answers_pause_after_each_other_only_while_events_come_in() -> None:
    busy = True
    large_answers = LargeAnswers(lambda: busy)
    async with large_answers.turn(10_000):
        pass
    assert large_answers._free.locked()
    async with large_answers.turn(10_000):  # opens by itself
        busy = False
    assert not large_answers._free.locked()


async def test_after_an_answer_that_fails_the_next_one_may_start() -> None:
    large_answers = LargeAnswers(lambda: False)
    try:
        async with large_answers.turn(10_000):
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert not large_answers._free.locked()
