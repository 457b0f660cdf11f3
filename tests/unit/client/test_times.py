"""Times as people write them."""

from datetime import UTC, datetime, timedelta

import pytest

from headwater.client.times import parse_time
from headwater.errors import BadRequest


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-11-10", datetime(2026, 11, 10, tzinfo=UTC)),
        ("2026-11-10T09:00", datetime(2026, 11, 10, 9, tzinfo=UTC)),
        ("2026-11-10 09:00:30Z", datetime(2026, 11, 10, 9, 0, 30, tzinfo=UTC)),
        ("2026-11-10T09:00+02:00", datetime(2026, 11, 10, 7, tzinfo=UTC)),
    ],
)
def test_dates_and_times_are_utc_unless_they_say_otherwise(text: str, at: datetime) -> None:
    assert parse_time(text) == at


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("now", timedelta(0)),
        ("90s", timedelta(seconds=90)),
        ("15m", timedelta(minutes=15)),
        ("15 min", timedelta(minutes=15)),
        ("1.5h", timedelta(minutes=90)),
        ("-2h", timedelta(hours=2)),
        ("7d", timedelta(days=7)),
        ("2w", timedelta(days=14)),
    ],
)
def test_how_long_ago(text: str, ago: timedelta) -> None:
    before = datetime.now(UTC)
    at = parse_time(text)
    assert before - ago <= at <= datetime.now(UTC) - ago


@pytest.mark.parametrize("text", ["", "yesterday", "5", "10y", "2026-13-01", "99999999999d"])
def test_anything_else_is_refused_with_examples(text: str) -> None:
    with pytest.raises(BadRequest, match="how long ago"):
        parse_time(text)
