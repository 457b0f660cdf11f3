"""When something was seen: spans of time that grow with each sighting, in any order.

Two sightings at most GAP apart belong to one span. The spans depend only on the set of
sightings, never on the order in which they arrived.
"""

from bisect import bisect_right
from typing import Protocol

from headwater.ids import Micros

# A daily job's edge stays one span, with half a day of patience for a late run. A shorter gap
# would give each daily edge a span a day, and memory would grow with the number of runs.
GAP = Micros(36 * 3600 * 1_000_000)


class Seen(Protocol):
    first: Micros
    last: Micros
    spans: list[Micros] | None
    """None for a single span; otherwise start, end, start, end, … in order of time."""


def see(thing: Seen, at: Micros) -> bool:
    """Notes a sighting. False when that changes nothing."""
    if thing.spans is None:
        first, last = thing.first, thing.last
        if first <= at <= last:
            return False
        if last < at <= last + GAP:
            thing.last = at
            return True
        if first - GAP <= at < first:
            thing.first = at
            return True
        thing.spans = [thing.first, thing.last]
    changed = _insert(thing.spans, at)
    thing.first, thing.last = thing.spans[0], thing.spans[-1]
    if len(thing.spans) == 2:
        thing.spans = None
    return changed


def _insert(spans: list[Micros], at: Micros) -> bool:
    place = bisect_right(spans, at)
    if place % 2 == 1 or (place > 0 and spans[place - 1] == at):
        return False  # inside a span or on its end
    joins_left = place > 0 and at - spans[place - 1] <= GAP
    joins_right = place < len(spans) and spans[place] - at <= GAP
    if joins_left and joins_right:
        del spans[place - 1 : place + 1]
    elif joins_left:
        spans[place - 1] = at
    elif joins_right:
        spans[place] = at
    else:
        spans[place:place] = [at, at]
    return True


def last_before(thing: Seen, at: Micros) -> Micros | None:
    """The latest moment up to `at` at which the thing was there; None if not yet."""
    if at < thing.first:
        return None
    if thing.spans is None:
        return min(at, thing.last)
    place = bisect_right(thing.spans, at)
    return at if place % 2 == 1 else thing.spans[place - 1]
