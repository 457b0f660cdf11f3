"""Spans depend on the sightings, not on their order."""

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from headwater.ids import Micros
from headwater.model.spans import GAP, last_before, see

moments = st.integers(0, 20 * GAP).map(Micros)


@dataclass
class Thing:
    first: Micros
    last: Micros
    spans: list[Micros] | None = None


def seen(sightings: list[Micros]) -> Thing:
    thing = Thing(sightings[0], sightings[0])
    for at in sightings[1:]:
        see(thing, at)
    return thing


def expected(sightings: list[Micros]) -> list[int]:
    """The definition: sorted, cut wherever the distance is larger than GAP."""
    ordered = sorted(sightings)
    flat = [ordered[0]]
    for before, at in pairwise(ordered):
        if at - before > GAP:
            flat += [before, at]
    return [*flat, ordered[-1]]


@given(st.lists(moments, min_size=1), st.randoms())
def test_any_order_gives_the_same_spans(sightings: list[Micros], random: object) -> None:
    thing = seen(sightings)
    assert (thing.spans or [thing.first, thing.last]) == expected(sightings)
    assert (thing.first, thing.last) == (min(sightings), max(sightings))
    shuffled = list(sightings)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert seen(shuffled) == thing


@given(st.lists(moments, min_size=1))
def test_a_known_sighting_changes_nothing(sightings: list[Micros]) -> None:
    thing = seen(sightings)
    assert not any(see(thing, at) for at in sightings)


@given(st.lists(moments, min_size=1), moments)
def test_last_before_is_the_latest_moment_at_which_it_was_there(sightings: list[Micros], at: Micros) -> None:
    latest = last_before(seen(sightings), at)
    earlier = [s for s in sightings if s <= at]
    if not earlier:
        assert latest is None
    else:
        later = [s for s in sightings if s > at]
        inside = bool(later) and min(later) - max(earlier) <= GAP
        assert latest == (at if inside else max(earlier))
