"""Long walks go in slices, so that others get their turn in between.

A walk is a generator. Every few hundred steps it yields what it has found so far, and its
caller decides what happens before it goes on: nothing (`finish`), or a turn of the event loop.
Events may come in meanwhile. So a walk takes nothing for granted that it has not looked up
since, and of a large graph one part may be a moment older than another.
"""

from collections.abc import Generator
from typing import TypeVar

_Found = TypeVar("_Found")
_Result = TypeVar("_Result")

Slices = Generator[_Found, None, _Result]

# A step takes a third of a microsecond to one, and nobody should wait longer than a millisecond
# or two.
STEPS_PER_SLICE = 2000


def finish(slices: Slices[_Found, _Result]) -> _Result:
    """Walks to the end at once."""
    while True:
        try:
            next(slices)
        except StopIteration as end:
            result: _Result = end.value
            return result
