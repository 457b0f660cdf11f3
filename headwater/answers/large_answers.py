"""Large answers go one at a time, and let ingest go first.

Everything in Python shares one core. Two clients that ask for graphs of thousands of nodes
all the time would take most of it, and events would wait. So such answers share one lane, and
while events come in the lane stays closed after each for twice as long as the answer cost.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

# What an answer costs the event loop, as measured: putting a node together, and handing a byte
# to the HTTP server.
_SECONDS_PER_NODE, _SECONDS_PER_BYTE = 5e-6, 0.5e-9

# Smaller answers cost less than a millisecond or two and need no lane.
_LARGE_SECONDS = 0.002

_PAUSE = 2.0
_LONGEST_PAUSE_SECONDS = 0.5


class LargeAnswers:
    def __init__(self, events_come_in: Callable[[], bool]) -> None:
        self._events_come_in = events_come_in
        self._free = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, nodes: int, size: int = 0) -> AsyncIterator[None]:
        """Around the making of an answer with so many nodes, or the sending of so many bytes."""
        cost = nodes * _SECONDS_PER_NODE + size * _SECONDS_PER_BYTE
        if cost < _LARGE_SECONDS:
            yield
            return
        await self._free.acquire()
        try:
            yield
        finally:
            if self._events_come_in():
                pause = min(cost * _PAUSE, _LONGEST_PAUSE_SECONDS)
                asyncio.get_running_loop().call_later(pause, self._free.release)
            else:
                self._free.release()
