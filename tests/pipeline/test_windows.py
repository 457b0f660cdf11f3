"""Windows and hours of suppliers are what a few lines of Python make of the same orders."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from io import BytesIO
from typing import Any

from fastavro import parse_schema, schemaless_reader
from hypothesis import given
from hypothesis import strategies as st

from pipeline.orders import SUPPLIERS
from pipeline.schemas import STATS, header
from pipeline.supplier_stats import hourly, of_day
from pipeline.supplier_stats_stream import as_records, windows
from tests.pipeline.truth import WINDOW, Bid, millis, moment
from tests.pipeline.truth import windows as expected_windows
from tests.support.examples import examples

ORDERS = "order_id string, item string, price decimal(10,2), supplier string, bid_time timestamp"
DAY = date(2026, 11, 15)
MIDNIGHT = millis(datetime(2026, 11, 15, tzinfo=UTC))
HOUR = 3_600_000

bids = st.lists(
    st.builds(
        Bid,
        order_id=st.uuids().map(str),
        item=st.just("tea"),
        price=st.integers(-999_999_99, 99_999_999_99).map(lambda cents: Decimal(cents).scaleb(-2)),
        supplier=st.sampled_from(SUPPLIERS[:3]),
        # Around midnight, so that days and hours differ; often on the very edge of a window.
        bid_time=st.one_of(
            st.integers(MIDNIGHT - HOUR, MIDNIGHT + 3 * HOUR),
            st.integers(-5, 5).flatmap(lambda n: st.sampled_from([-1, 0, 1]).map(lambda d: MIDNIGHT + n * WINDOW + d)),
        ),
    ),
    max_size=80,
)
# Each example is a Spark job.
few = examples(5)


def frame(spark: Any, some: list[Bid]) -> Any:
    rows = [(*each[:-1], moment(each.bid_time)) for each in some]
    return spark.createDataFrame(rows, ORDERS)


@few
@given(bids)
def test_windows_are_those_of_a_plain_recomputation(spark: Any, some: list[Bid]) -> None:
    rows = windows(frame(spark, some)).collect()
    assert {row.window_end - row.window_start for row in rows} <= {moment(WINDOW) - moment(0)}
    stats = {(millis(row.window_start), row.supplier): (row.total_price, row["count"]) for row in rows}
    assert len(stats) == len(rows)
    assert stats == expected_windows(some)


@few
@given(bids)
def test_hours_of_one_day_are_those_of_a_plain_recomputation(spark: Any, some: list[Bid]) -> None:
    rows = hourly(of_day(frame(spark, some), DAY)).collect()
    assert {row.bid_date for row in rows} <= {DAY}
    stats = {(MIDNIGHT + row.bid_hour * HOUR, row.supplier): (row.total_price, row.total_count) for row in rows}
    assert len(stats) == len(rows)
    that_day = [each for each in some if MIDNIGHT <= each.bid_time < MIDNIGHT + 24 * HOUR]
    assert stats == expected_windows(that_day, HOUR)


def test_windows_are_written_for_the_registrys_clients(spark: Any) -> None:
    some = [Bid("1", "tea", Decimal("149.99"), "Joe", MIDNIGHT + 1), Bid("2", "tea", Decimal("0.02"), "Joe", MIDNIGHT)]
    (row,) = as_records(windows(frame(spark, some)), 9).collect()
    assert bytes(row.key) == b"Joe"
    value = bytes(row.value)
    assert value[:5] == header(9)
    assert schemaless_reader(BytesIO(value[5:]), parse_schema(json.loads(STATS)), None) == {
        "window_start": moment(MIDNIGHT),
        "window_end": moment(MIDNIGHT + WINDOW),
        "supplier": "Joe",
        "total_price": Decimal("150.01"),
        "count": 2,
    }
