"""ISO 8601 ↔ microseconds since 1970."""

import time
from datetime import UTC, datetime, timedelta

from headwater.ids import Micros

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)
_FIRST, _LAST = ((m.replace(tzinfo=UTC) - _EPOCH) // _MICRO for m in (datetime.min, datetime.max))
_SHORTEST = len("2026-01-01T00:00")


def now() -> Micros:
    return Micros(time.time_ns() // 1000)


def parse(text: str) -> Micros:
    """Reads a date-time. Nanoseconds are cut; a time without a zone is taken as UTC, because
    several clients leave the zone out. Raises ValueError on anything else."""
    if len(text) < _SHORTEST:
        raise ValueError("not an ISO 8601 date-time")
    moment = datetime.fromisoformat(text[:-1] + "Z" if text[-1] == "z" else text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    at = (moment - _EPOCH) // _MICRO
    if not _FIRST <= at <= _LAST:  # by its zone: it could be stored, but never shown
        raise ValueError("not within the years 1 to 9999 in UTC")
    return Micros(at)


def parse_or_none(text: str | None) -> Micros | None:
    try:
        return parse(text) if text else None
    except ValueError:
        return None


def to_datetime(at: Micros) -> datetime:
    return _EPOCH + _MICRO * at  # a third of the time that `timedelta(microseconds=at)` takes


def iso(at: Micros) -> str:
    """`2026-11-15T08:00:00.123456Z`, always with six digits so that texts sort like times."""
    return to_datetime(at).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
