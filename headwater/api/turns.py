"""Walks on the event loop: a slice, then a turn for everyone else, then the next slice."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from headwater.graph.slices import Slices

_Found = TypeVar("_Found")
_Result = TypeVar("_Result")


async def in_turns(slices: Slices[_Found, _Result], before_others: Callable[[_Found], None] | None = None) -> _Result:
    """Walks to the end. `before_others` sees what was found so far, while it is still true."""
    while True:
        try:
            found = next(slices)
        except StopIteration as end:
            result: _Result = end.value
            return result
        if before_others is not None:
            before_others(found)
        await asyncio.sleep(0)
