"""The floor: what HTTP server and disk cost before Headwater does anything with an event.

    python -m bench.floor PORT FILE

On the same event loop and HTTP server, with the same settings as headwater/server.py: reads the body, appends
it to a file, syncs for all requests that wait together, answers 201. Nothing else.
"""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import uvloop
from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server.embed import Server

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Floor:
    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._waiting: list[tuple[bytes, asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, "floor")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        chunks: list[bytes] = []
        more = True
        while more:
            message = await receive()
            chunks.append(message.get("body", b""))
            more = message.get("more_body", False)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((b"".join(chunks), done))
        self._wake.set()
        await done
        await send({"type": "http.response.start", "status": 201, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async def commit_forever(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._wake.wait()
            self._wake.clear()
            group, self._waiting = self._waiting, []
            await loop.run_in_executor(self._thread, self._append, [body for body, _ in group])
            for _, done in group:
                if not done.done():
                    done.set_result(None)

    def _append(self, bodies: list[bytes]) -> None:
        os.write(self._file, b"".join(bodies))
        os.fdatasync(self._file)


async def run(port: int, path: str) -> None:
    floor = Floor(path)
    committing = asyncio.create_task(floor.commit_forever())
    server = Server(
        floor,
        address="127.0.0.1",
        port=port,
        interface=Interfaces.ASGINL,
        websockets=False,
        backlog=2048,
        log_level=LogLevels.error,
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.stop)
    await server.serve()
    committing.cancel()


if __name__ == "__main__":
    sys.setswitchinterval(0.0005)
    gc.freeze()
    gc.set_threshold(50_000, 50, 1000)
    uvloop.run(run(int(sys.argv[1]), sys.argv[2]))
