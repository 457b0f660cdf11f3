"""How many events there were, and how many jobs, datasets and sources, over the last day or week."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from headwater.answers.creation_counts import CreationCounts
from headwater.answers.listing import Listing
from headwater.errors import BadRequest
from headwater.ids import Micros
from headwater.model.state import QUARTER, State
from headwater.openlineage.event import EventType
from headwater.openlineage.timestamps import now, to_datetime
from headwater.shapes import marquez as shapes

HOURS, DAYS = 24, 7
_HOUR = Micros(3600 * 1_000_000)

Interval = tuple[Micros, Micros]


def event_counts(state: State, period: str, timezone: str | None) -> list[shapes.EventCounts]:
    return [_events(state, interval) for interval in intervals(now(), period, timezone)]


def created_counts(listing: Listing, created: CreationCounts, period: str, timezone: str | None) -> list[shapes.Count]:
    spans = intervals(now(), period, timezone)
    listing.catch_up()
    return [shapes.Count(to_datetime(start), to_datetime(end), created.before(end)) for start, end in spans]


def _events(state: State, interval: Interval) -> shapes.EventCounts:
    start, end = interval
    quarters = range(start // QUARTER, end // QUARTER)

    def count(kind: EventType) -> int:
        return sum(state.counts.get(quarter << 3 | kind, 0) for quarter in quarters)

    return shapes.EventCounts(
        to_datetime(start),
        to_datetime(end),
        fail=count(EventType.FAIL),
        start=count(EventType.START),
        complete=count(EventType.COMPLETE),
        abort=count(EventType.ABORT),
    )


def intervals(at: Micros, period: str, timezone: str | None) -> list[Interval]:
    """The present hour and the 23 before it, or the present day and the 6 before it."""
    kind = period.upper()
    if kind == "DAY":
        return list(_hours(at, _zone(timezone or "UTC")))
    if kind != "WEEK":
        raise BadRequest("period must be DAY or WEEK", "period")
    if not timezone:
        raise BadRequest("timezone is required for WEEK", "timezone")
    return list(_days(at, _zone(timezone)))


def _hours(at: Micros, zone: ZoneInfo) -> Iterator[Interval]:
    offset = to_datetime(at).astimezone(zone).utcoffset() or timedelta()
    shift = offset // timedelta(microseconds=1)
    present = (at + shift) // _HOUR * _HOUR - shift
    for number in range(HOURS - 1, -1, -1):
        start = present - number * _HOUR
        yield Micros(start), Micros(start + _HOUR)


def _days(at: Micros, zone: ZoneInfo) -> Iterator[Interval]:
    """From one midnight to the next, which may be 23 or 25 hours."""
    today = to_datetime(at).astimezone(zone).date()
    begins = [_midnight(today + timedelta(days=number), zone) for number in range(1 - DAYS, 2)]
    return pairwise(begins)


def _midnight(day: date, zone: ZoneInfo) -> Micros:
    """Where clocks jump over midnight, the day begins when they jump."""
    moment = datetime.combine(day, time(), zone).astimezone(UTC)
    return Micros((moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1))


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, no name at all, a folder of zones
        raise BadRequest(f"unknown timezone {name!r}; use a name such as Europe/Berlin", "timezone") from None
