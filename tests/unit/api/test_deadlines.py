"""The time limit, and clients that leave."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from headwater.api.deadlines import QueryDeadlines
from headwater.api.ingest import Receive, Scope, Send
from headwater.errors import TookTooLong
from headwater.ingest.counters import Counters

ANSWER: list[dict[str, Any]] = [
    {"type": "http.response.start", "status": 200, "headers": []},
    {"type": "http.response.body", "body": b"x"},
]
BODY = {"type": "http.request", "body": b"body", "more_body": False}
GONE = {"type": "http.disconnect"}

Handler = Callable[[Scope, Receive, Send], Awaitable[None]]


class Client:
    """What a server hands on of one client."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.messages.put_nowait(BODY)
        self.sent: list[Any] = []
        self.readers = 0

    async def receive(self) -> dict[str, Any]:
        assert not self.readers, "two read at a time"
        self.readers += 1
        try:
            return await self.messages.get()
        finally:
            self.readers -= 1

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    def leave(self) -> None:
        self.messages.put_nowait(GONE)


async def ask(handler: Handler, client: Client, counters: Counters, seconds: float = 60, method: str = "GET") -> None:
    await QueryDeadlines(handler, counters, seconds)({"method": method}, client.receive, client.send)


async def answers(scope: Scope, receive: Receive, send: Send) -> None:
    for message in ANSWER:
        await send(message)


async def never_answers(scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.Event().wait()


async def test_an_answer_passes_as_it_is() -> None:
    client, counters = Client(), Counters()
    await ask(answers, client, counters)
    assert client.sent == ANSWER
    assert counters.queries_running == 0


async def test_a_question_that_takes_too_long_is_ended() -> None:
    client, counters = Client(), Counters()
    with pytest.raises(TookTooLong):
        await ask(never_answers, client, counters, seconds=0.01)
    assert client.sent == []
    assert (counters.queries_running, counters.queries_timed_out, counters.queries_abandoned) == (0, 1, 0)


async def test_work_for_a_client_that_left_is_ended() -> None:
    client, counters = Client(), Counters()
    client.leave()
    await ask(never_answers, client, counters)
    assert client.sent == []
    assert (counters.queries_running, counters.queries_timed_out, counters.queries_abandoned) == (0, 0, 1)


async def test_an_answer_that_has_begun_may_take_its_time_and_hears_of_the_end() -> None:
    heard: list[Any] = []

    async def streams(scope: Scope, receive: Receive, send: Send) -> None:
        await send(ANSWER[0])
        await asyncio.sleep(0.2)
        heard.append(await receive())
        while heard[-1] != GONE:
            heard.append(await receive())

    client, counters = Client(), Counters()
    asyncio.get_running_loop().call_later(0.3, client.leave)
    await ask(streams, client, counters, seconds=0.1)
    assert heard[-1] == GONE
    assert (counters.queries_timed_out, counters.queries_abandoned) == (0, 0)


async def test_a_stream_that_begins_late_hears_of_the_end_too() -> None:
    heard: list[Any] = []

    async def streams(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.15)  # by now somebody looks whether the client is there
        await send(ANSWER[0])
        heard.append(await receive())

    client, counters = Client(), Counters()
    asyncio.get_running_loop().call_later(0.3, client.leave)
    await ask(streams, client, counters)
    assert heard == [GONE]
    assert counters.queries_abandoned == 0


async def test_a_body_reaches_the_application_however_late_it_comes() -> None:
    async def reads(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.15)
        assert await receive() == BODY
        await answers(scope, receive, send)

    client, counters = Client(), Counters()
    await ask(reads, client, counters, method="PUT")
    assert client.sent == ANSWER


async def test_after_the_body_leaving_is_noticed() -> None:
    async def reads(scope: Scope, receive: Receive, send: Send) -> None:
        assert await receive() == BODY
        await never_answers(scope, receive, send)

    client, counters = Client(), Counters()
    client.leave()
    await ask(reads, client, counters, method="POST")
    assert counters.queries_abandoned == 1


async def test_being_stopped_from_outside_is_no_time_limit() -> None:
    client, counters = Client(), Counters()
    task = asyncio.create_task(ask(never_answers, client, counters))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (counters.queries_running, counters.queries_timed_out, counters.queries_abandoned) == (0, 0, 0)
