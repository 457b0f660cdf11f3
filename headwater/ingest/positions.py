"""Read your own writes: queries wait until the state has reached a position."""

import asyncio
from dataclasses import dataclass, field

from headwater.errors import NotYet
from headwater.ids import Position
from headwater.model.state import State


@dataclass(eq=False)
class _Waiter:
    position: Position
    done: "asyncio.Future[None]" = field(repr=False)


class PositionWaiters:
    def __init__(self, state: State) -> None:
        self._state = state
        self.waiters: set[_Waiter] = set()

    async def reached(self, position: Position, seconds: float) -> None:
        """Returns when the state has the event at that position. Raises NotYet after some time."""
        if self._state.position >= position:
            return
        waiter = _Waiter(position, asyncio.get_running_loop().create_future())
        self.waiters.add(waiter)
        try:
            async with asyncio.timeout(seconds):
                await waiter.done
        except TimeoutError:
            raise NotYet(
                f"position {position} was not reached within {seconds:g} s; the server is at {self._state.position}"
            ) from None
        finally:
            self.waiters.discard(waiter)

    def notify(self) -> None:
        """To be called when the state has moved on."""
        for waiter in self.waiters:
            if waiter.position <= self._state.position and not waiter.done.done():
                waiter.done.set_result(None)

    def release(self) -> None:
        """Nobody waits any longer: the server is stopping."""
        for waiter in self.waiters:
            if not waiter.done.done():
                waiter.done.set_exception(NotYet("the server is stopping"))
