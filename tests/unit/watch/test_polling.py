"""The frame that all watchers share."""

import asyncio
import logging

import pytest

from headwater.errors import BadRequest
from headwater.watch.polling import BackgroundTask, Backoff, Health, poll_forever


async def test_an_unexpected_error_costs_one_poll(caplog: pytest.LogCaptureFixture) -> None:
    polls: list[int] = []

    async def poll() -> None:
        polls.append(len(polls))
        if len(polls) == 1:
            raise RuntimeError("boom")
        raise BadRequest("the state file is not writable")

    with pytest.raises(BadRequest):
        await poll_forever(poll, lambda: 0.0)
    assert polls == [0, 1]
    assert "a poll failed" in caplog.text


async def test_a_poll_counts_towards_the_interval() -> None:
    loop = asyncio.get_running_loop()
    starts: list[float] = []

    async def poll() -> None:
        starts.append(loop.time())
        await asyncio.sleep(0.1)
        if len(starts) == 3:
            raise BadRequest("enough")

    with pytest.raises(BadRequest):
        await poll_forever(poll, lambda: 0.2)
    assert starts[1] - starts[0] >= 0.19
    assert len(starts) == 3


def test_a_problem_is_logged_when_it_begins_and_when_it_is_over(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "headwater.watch")
    health = Health("Connect")
    health.answered()
    assert caplog.messages == []
    health.unanswered("no answer")
    health.unanswered("no answer")
    assert health.problem == "no answer"
    health.answered()
    assert health.problem == ""
    assert caplog.messages == ["no answer; the last known state stays until Connect answers", "Connect answers again"]


def test_what_stays_the_same_is_polled_ever_less_often() -> None:
    backoff = Backoff(first=4, longest=10)
    assert backoff.is_due(0)
    backoff.answered(0, changed=True)
    assert (backoff.is_due(3.9), backoff.is_due(4)) == (False, True)
    backoff.answered(4, changed=False)
    assert (backoff.is_due(11.9), backoff.is_due(12)) == (False, True)
    backoff.answered(12, changed=False)
    assert (backoff.is_due(21.9), backoff.is_due(22)) == (False, True)
    backoff.answered(22, changed=True)
    assert backoff.is_due(26)
    backoff.answered(26, changed=False)
    backoff.reset()
    assert backoff.is_due(26)


async def test_only_one_round_of_slow_questions_runs_at_a_time(caplog: pytest.LogCaptureFixture) -> None:
    started, answers = [], asyncio.Event()
    background = BackgroundTask("offsets")

    async def work() -> None:
        started.append(True)
        await answers.wait()
        raise RuntimeError("boom")

    background.start(work)
    background.start(work)
    await background.wait(0.01)
    assert len(started) == 1
    answers.set()
    await background.wait(5)
    assert "cannot look up offsets" in caplog.text
    background.start(work)
    await background.wait(5)
    assert len(started) == 2
