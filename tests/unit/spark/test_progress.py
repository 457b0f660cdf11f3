"""Spark's progress of micro-batches, added up until it is reported."""

from typing import Any

from headwater.emit.naming import Dataset
from headwater.spark.progress import Progress

ORDERS, RETURNS = Dataset("kafka://b:9092", "orders"), Dataset("kafka://b:9092", "returns")


def batch(number: int, rows: int, written: int, **more: Any) -> dict[str, Any]:
    def source(topic: str, count: int) -> dict[str, Any]:
        return {
            "description": f"KafkaV2[Subscribe[{topic}]]",
            "startOffset": {topic: {"0": number * 10}},
            "endOffset": {topic: {"0": number * 10 + count}},
            "latestOffset": {topic: {"0": number * 10 + count + 7}},
            "numInputRows": count,
            "inputRowsPerSecond": "NaN",
            "processedRowsPerSecond": 12.34567,
            "metrics": {"maxOffsetsBehindLatest": "0"},
        }

    return {
        "id": "query",
        "batchId": number,
        "batchDuration": 250,
        "inputRowsPerSecond": float("nan"),
        "processedRowsPerSecond": 20.0,
        "eventTime": {"watermark": "1970-01-01T00:00:00.000Z"},
        "stateOperators": [{"numRowsTotal": 5, "memoryUsedBytes": 1000, "numRowsDroppedByWatermark": 2}] * 2,
        "sources": [source("orders", rows), source("returns", 1)],
        "sink": {"description": "KafkaSink", "numOutputRows": written},
        **more,
    }


def rows(progress: Progress, dataset: Dataset) -> int:
    count: int = progress.input_facets(dataset, only=False)["inputStatistics"]["rowCount"]
    return count


def test_rows_are_counted_for_each_topic_over_all_batches_since_the_last_event() -> None:
    progress = Progress()
    progress.add(batch(1, rows=3, written=2))
    progress.add(batch(2, rows=4, written=5))
    assert (rows(progress, ORDERS), rows(progress, RETURNS)) == (7, 2)
    assert progress.output_facets()["outputStatistics"]["rowCount"] == 7
    progress.reset()
    progress.add(batch(3, rows=1, written=0))
    assert rows(progress, ORDERS) == 1
    assert progress.output_facets()["outputStatistics"]["rowCount"] == 0


def test_a_sink_that_does_not_count_says_nothing() -> None:
    progress = Progress()
    progress.add(batch(1, rows=3, written=-1))
    assert progress.output_facets() == {}


def test_rows_written_a_second_are_those_since_the_last_event() -> None:
    moments = iter([0.0, 10.0, 10.0, 14.0])
    progress = Progress(clock=lambda: next(moments))
    progress.add(batch(1, rows=90, written=20))
    progress.add(batch(2, rows=90, written=30))
    assert progress.run_facet()["headwater_streaming"]["outputRowsPerSecond"] == 5.0
    progress.reset()
    progress.add(batch(3, rows=90, written=2))
    assert progress.run_facet()["headwater_streaming"]["outputRowsPerSecond"] == 0.5


def test_state_offsets_and_distance_from_the_end() -> None:
    progress = Progress()
    progress.add(batch(1, rows=3, written=2))
    facet = progress.run_facet()["headwater_streaming"]
    assert (facet["stateRows"], facet["stateBytes"], facet["lateRows"]) == (10, 2000, 4)
    assert facet["sources"][0]["endOffset"] == {"orders": {"0": 13}}
    assert facet["sources"][0]["offsetsBehind"] == 7
    assert facet["sources"][0]["processedRowsPerSecond"] == 12.346


def test_what_is_no_number_and_no_watermark_is_left_out() -> None:
    progress = Progress()
    assert progress.run_facet() == {}
    progress.add(batch(1, rows=3, written=2))
    facet = progress.run_facet()["headwater_streaming"]
    assert "inputRowsPerSecond" not in facet
    assert "watermark" not in facet
    progress.add(batch(2, rows=3, written=2, eventTime={"watermark": "2026-11-15T10:00:00.000Z"}))
    assert progress.run_facet()["headwater_streaming"]["watermark"] == "2026-11-15T10:00:00.000Z"


def test_what_the_job_observes_is_added_up_where_that_makes_sense() -> None:
    progress = Progress()
    progress.counters = {("records", "read")}
    for number, top in ((1, 7), (2, 5)):
        progress.add(batch(number, 1, 1, observedMetrics={"records": {"read": 10, "top": top, "name": "x"}}))
    assert progress.run_facet()["headwater_streaming"]["observed"] == {"records": {"read": 20, "top": 5, "name": "x"}}
    progress.reset()
    assert "observed" not in progress.run_facet()["headwater_streaming"]


def test_without_a_new_batch_the_last_one_is_not_reported_again() -> None:
    progress = Progress()
    progress.add(batch(1, rows=3, written=2))
    progress.reset()
    facet = progress.run_facet()["headwater_streaming"]
    assert (facet["batches"], facet["batchId"], facet["stateRows"], facet["lateRows"]) == (0, 1, 10, 0)
    assert not {"batchDurationMs", "processedRowsPerSecond"} & set(facet)
    assert set(facet["sources"][0]) == {"description", "startOffset", "endOffset", "latestOffset", "offsetsBehind"}
