"""The expected graph of the orders pipeline makes sense in itself, and what differs from it is named. Whether the
pipeline gives that graph is for `make demo-check`."""

import json
from copy import deepcopy
from itertools import pairwise
from typing import Any

import pytest

from tests.demo import graph
from tests.demo.runs import wrong_ends

WHERE = {"host": "127.0.0.1", "kafka": "19092", "metastore": "19083"}
TOLD = json.loads(graph.SCENARIO.read_text())


def test_addresses_are_filled_in() -> None:
    lines = [line for part in graph.expected(WHERE).values() for line in part]
    assert not [line for line in lines if "{" in line]
    assert any("kafka://127.0.0.1:19092:orders" in line for line in lines)
    assert any("hive://127.0.0.1:19083 default.orders" in line for line in lines)


@pytest.mark.parametrize("part", TOLD["columns"], ids=lambda part: part["to"])
def test_every_column_of_what_a_job_writes_is_explained(part: Any) -> None:
    written = [field.split()[0] for field in TOLD["fields"][part["to"]]]
    assert sorted(part["fields"]) == sorted(written)
    ways = [line.split(" → ") for line in TOLD["edges"]]
    steps = {step for way in ways for step in pairwise(way)}
    between = [job for source, job in steps if source == part["from"] and (job, part["to"]) in steps]
    assert len(between) == 1


def test_what_decides_over_rows_belongs_to_every_column() -> None:
    columns = graph.expected(WHERE)["columns"]
    orders = "datasetField:s3://warehouse:orders"
    for column in ("supplier", "bid_date", "bid_hour", "total_price", "total_count"):
        grouped = f"datasetField:s3://warehouse:supplier_stats:{column} ← {orders}:supplier INDIRECT GROUP_BY"
        assert grouped in columns
    assert f"datasetField:s3://warehouse:supplier_stats:total_price ← {orders}:price DIRECT AGGREGATION" in columns


@pytest.mark.parametrize("part", ["edges", "jobs", "same", "fields", "columns"])
def test_what_is_missing_and_what_is_too_much_is_named(part: str) -> None:
    expected = graph.expected(WHERE)
    actual = deepcopy(expected)
    assert graph.differences(expected, actual) == []
    lost = actual[part].pop()
    actual[part].add("a line that nobody expects")
    assert graph.differences(expected, actual) == [
        f"missing in {part}: {lost}",
        f"too much in {part}: a line that nobody expects",
    ]


def run(name: str, state: str, **facets: Any) -> dict[str, Any]:
    ended = None if state == "RUNNING" else "2026-11-15T10:00:00Z"
    job = {"namespace": "orders", "name": name}
    return {
        "id": name,
        "state": state,
        "startedAt": "2026-11-15T09:00:00Z",
        "endedAt": ended,
        "job": job,
        "facets": facets,
    }


def test_streams_must_have_ended_with_a_reason() -> None:
    ended = run("", "ABORTED", headwater_end={"reason": "SIGTERM"})
    good = [ended | {"job": {"name": name}} for name in streams()]
    assert wrong_ends(good) == []
    first, *others = streams()
    for odd, message in (
        (run(first, "RUNNING"), "is still RUNNING"),
        (run(first, "COMPLETED"), "should be ABORTED"),
        (run(first, "ABORTED"), "without a reason"),
        (run(first, "FAILED", errorMessage={"message": "no memory"}), "failed: no memory"),
    ):
        assert any(message in problem for problem in wrong_ends([*good[1:], odd]))
    assert len(others) == 5


def test_a_record_of_a_schema_that_is_new_may_have_failed_an_earlier_run() -> None:
    earlier = run("supplier-stats", "FAILED", errorMessage={"message": "schema id not known to this query: 7"})
    ended = run("", "ABORTED", headwater_end={"reason": "SIGTERM"}) | {"startedAt": "2026-11-15T09:30:00Z"}
    assert wrong_ends([earlier, *(ended | {"job": {"name": name}} for name in streams())]) == []


def streams() -> list[str]:
    return [job.rpartition(":")[2] for job, kind in TOLD["jobs"].items() if kind == "STREAM"]
