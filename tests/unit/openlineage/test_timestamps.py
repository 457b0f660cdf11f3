"""ISO 8601 ↔ microseconds."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.ids import Micros
from headwater.openlineage.timestamps import iso, parse, parse_or_none, to_datetime

TEN = 1_772_445_600_000_000  # 2026-03-02T10:00:00Z


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("2026-03-02T10:00:00Z", TEN),
        ("2026-03-02T10:00:00z", TEN),
        ("2026-03-02t10:00:00Z", TEN),
        ("2026-03-02T10:00:00+00:00", TEN),
        ("2026-03-02T10:00:00-00:00", TEN),
        ("2026-03-02T12:00:00+02:00", TEN),
        ("2026-03-02T12:00:00+0200", TEN),
        ("2026-03-02T04:30:00-05:30", TEN),
        ("2026-03-03T00:00:00+14:00", TEN),
        ("2026-03-02T10:00:00.1Z", TEN + 100_000),
        ("2026-03-02T10:00:00.123Z", TEN + 123_000),
        ("2026-03-02T10:00:00,123Z", TEN + 123_000),
        ("2026-03-02T10:00:00.123456Z", TEN + 123_456),
    ],
)
def test_date_times_are_read(text: str, micros: int) -> None:
    assert parse(text) == micros


@pytest.mark.parametrize("digits", ["123456000", "123456999", "1234569", "123456789012"])
def test_nanoseconds_are_cut(digits: str) -> None:
    assert parse(f"2026-03-02T10:00:00.{digits}Z") == TEN + 123_456


@pytest.mark.parametrize(
    "text", ["2026-03-02T10:00:00", "2026-03-02 10:00:00", "2026-03-02T10:00", "2026-03-02T10:00:00.000000000"]
)
def test_a_time_without_zone_is_utc(text: str) -> None:
    assert parse(text) == TEN


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "now",
        "2026",
        "2026-03-02",
        "2026-03-02T10",
        "10:00:00Z",
        "1772445600000",
        "1772445600000000",
        "2026-13-02T10:00:00Z",
        "2026-02-29T10:00:00Z",
        "2026-03-02T25:00:00Z",
        "2026-03-02T10:60:00Z",
        "2026-03-02T10:00:00+25:00",
        "2026-03-02T10:00:00 Europe/Paris",
        "2026-03-02T10:00:00+01:00[Europe/Paris]",
        " 2026-03-02T10:00:00Z",
        "2026-03-02T10:00:00Z ",
        "02/03/2026 10:00:00",
        "0000-01-01T00:00:00Z",
        "10000-01-01T00:00:00Z",
        "٢٠٢٦-03-02T10:00:00Z",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse(text)
    assert parse_or_none(text) is None


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"])
def test_a_time_that_no_date_can_hold_in_utc_is_refused(text: str) -> None:
    """It could be stored, but never shown."""
    with pytest.raises(ValueError):
        parse(text)
    assert parse_or_none(text) is None


def test_no_time_is_none() -> None:
    assert parse_or_none(None) is None
    assert parse_or_none("2026-03-02T10:00:00Z") == TEN


def test_times_are_written_with_six_digits_in_utc() -> None:
    assert iso(Micros(TEN)) == "2026-03-02T10:00:00.000000Z"
    assert iso(Micros(TEN + 5)) == "2026-03-02T10:00:00.000005Z"
    assert iso(Micros(-1)) == "1969-12-31T23:59:59.999999Z"


moments = st.datetimes(timezones=st.just(UTC))


@given(moments)
def test_what_is_written_is_read_again(moment: datetime) -> None:
    at = parse(moment.isoformat())
    assert to_datetime(at) == moment
    assert parse(iso(at)) == at


@given(moments, moments)
def test_texts_sort_like_times(one: datetime, other: datetime) -> None:
    a, b = parse(one.isoformat()), parse(other.isoformat())
    assert (iso(a) < iso(b)) == (a < b)


@given(
    st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31)),
    st.integers(-23 * 60, 23 * 60).map(lambda m: timezone(timedelta(minutes=m))),
)
def test_the_zone_does_not_change_the_moment(local: datetime, zone: timezone) -> None:
    moment = local.replace(tzinfo=zone)
    assert parse(moment.isoformat()) == parse(moment.astimezone(UTC).isoformat())


@given(st.text())
def test_any_text_is_a_time_or_a_value_error(text: str) -> None:
    at = parse_or_none(text)
    assert at is None or parse(iso(at)) == at
