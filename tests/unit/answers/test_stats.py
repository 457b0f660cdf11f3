"""Hours and days of any zone, and counts that agree with counting."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.answers.creation_counts import CreationCounts
from headwater.answers.stats import intervals
from headwater.errors import BadRequest
from headwater.ids import Micros, Node
from headwater.openlineage.timestamps import parse, to_datetime

HOUR = 3600 * 1_000_000


def at(text: str) -> Micros:
    return parse(text)


def begins(text: str, period: str, zone: str | None) -> list[datetime]:
    return [to_datetime(start) for start, _ in intervals(at(text), period, zone)]


def test_a_day_is_the_present_hour_and_those_before_it() -> None:
    hours = intervals(at("2026-11-15T10:59:59.999Z"), "DAY", None)
    assert len(hours) == 24
    assert hours[-1] == (at("2026-11-15T10:00Z"), at("2026-11-15T11:00Z"))
    assert hours[0][0] == at("2026-11-14T11:00Z")
    assert all(end - start == HOUR for start, end in hours)


@pytest.mark.parametrize(
    ("zone", "minutes"), [("Asia/Kolkata", 30), ("Asia/Kathmandu", 15), ("Pacific/Chatham", 15), ("Europe/Berlin", 0)]
)
def test_hours_begin_when_they_do_in_the_zone(zone: str, minutes: int) -> None:
    hours = begins("2026-11-15T10:59:00Z", "DAY", zone)
    assert {moment.minute for moment in hours} == {minutes}
    assert {moment.astimezone(ZoneInfo(zone)).minute for moment in hours} == {0}


@pytest.mark.parametrize(
    "zone", ["UTC", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Cairo", "Pacific/Apia"]
)
@pytest.mark.parametrize("moment", ["2026-03-10T12:00:00Z", "2026-04-26T12:00:00Z", "2026-11-04T12:00:00Z"])
def test_days_begin_at_midnight_in_the_zone_and_follow_each_other(zone: str, moment: str) -> None:
    days = intervals(at(moment), "WEEK", zone)
    assert len(days) == 7
    assert [end for _, end in days[:-1]] == [start for start, _ in days[1:]]
    assert days[-1][0] <= at(moment) < days[-1][1]
    local = [to_datetime(start).astimezone(ZoneInfo(zone)) for start, _ in days]
    assert [day.date() - local[0].date() for day in local] == [timedelta(days=n) for n in range(7)]


def test_a_day_in_which_clocks_change_has_another_length() -> None:
    spring = intervals(at("2026-03-10T12:00:00Z"), "WEEK", "America/New_York")
    autumn = intervals(at("2026-11-04T12:00:00Z"), "WEEK", "America/New_York")
    assert sorted((end - start) / HOUR for start, end in spring)[0] == 23
    assert sorted((end - start) / HOUR for start, end in autumn)[-1] == 25


def test_where_clocks_jump_over_midnight_the_day_begins_with_the_jump() -> None:
    """In Cairo 2026-04-24 has no midnight: 23:59 is followed by 1:00."""
    assert datetime(2026, 4, 23, 22, tzinfo=UTC) in begins("2026-04-26T12:00:00Z", "WEEK", "Africa/Cairo")


@pytest.mark.parametrize(
    ("period", "zone", "path"),
    [
        ("", None, "period"),
        ("MONTH", "UTC", "period"),
        ("WEEK", None, "timezone"),
        ("WEEK", "", "timezone"),
        ("WEEK", "Atlantis/Center", "timezone"),
        ("DAY", "America", "timezone"),
        ("DAY", "../../etc/passwd", "timezone"),
        ("DAY", "\0", "timezone"),
    ],
)
def test_senseless_periods_and_zones_are_refused(period: str, zone: str | None, path: str) -> None:
    with pytest.raises(BadRequest) as refused:
        intervals(at("2026-11-15T10:00Z"), period, zone)
    assert refused.value.path == path


quarters = st.integers(-8, 8).map(lambda n: Micros(n * HOUR // 4))


@given(st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), quarters)), max_size=30), quarters)
def test_cached_counts_are_what_counting_gives(put: list[tuple[int, Micros | None]], moment: Micros) -> None:
    created = CreationCounts()
    present: dict[int, Micros | None] = {}
    for node, first in put:
        created.put(Node(node), first)
        present[node] = first
    assert created.before(moment) == sum(first is not None and first < moment for first in present.values())
