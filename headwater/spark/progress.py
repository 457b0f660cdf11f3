"""What a streaming query did since its last event: rows, offsets, watermark, state."""

import time
from collections.abc import Callable, Container
from typing import Any

from headwater.emit.events import SPARK, Json
from headwater.emit.naming import Dataset


class Progress:
    """Adds up micro-batches until they are reported."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last: Json = {}
        self._read: dict[str, int] = {}
        self._written: int | None = None
        self._batches = self._late = 0
        self._observed: Json = {}
        self._since = clock()
        self.counters: Container[tuple[str, str]] = ()  # measures of `observe` that can be added up

    def add(self, progress: Json) -> None:
        """One micro-batch, as Spark's JSON describes it."""
        self._last = progress
        self._batches += 1
        for name, values in (progress.get("observedMetrics") or {}).items():
            self._observe(str(name), values)
        for source in progress.get("sources", ()):
            key = str(source.get("description"))
            self._read[key] = self._read.get(key, 0) + int(source.get("numInputRows") or 0)
        self._late += sum(int(s.get("numRowsDroppedByWatermark") or 0) for s in progress.get("stateOperators", ()))
        written = (progress.get("sink") or {}).get("numOutputRows", -1)
        if written >= 0:
            self._written = (self._written or 0) + int(written)

    def run_facet(self) -> Json:
        """Empty before the first micro-batch."""
        last = self._last
        if not last:
            return {}
        states = last.get("stateOperators", ())
        watermark = (last.get("eventTime") or {}).get("watermark")
        latest = last if self._batches else {}  # the figures of a batch are reported once
        facet = SPARK.own_facet(
            queryId=last.get("id"),
            batchId=last.get("batchId"),
            batches=self._batches,
            batchDurationMs=latest.get("batchDuration"),
            inputRowsPerSecond=_number(latest.get("inputRowsPerSecond")),
            processedRowsPerSecond=_number(latest.get("processedRowsPerSecond")),
            outputRowsPerSecond=self._written_per_second(),
            # Before the first event the watermark is the beginning of time, and says nothing.
            watermark=None if not watermark or watermark.startswith("1970-01-01T00:00:00") else watermark,
            stateRows=sum(int(s.get("numRowsTotal") or 0) for s in states),
            stateBytes=sum(int(s.get("memoryUsedBytes") or 0) for s in states),
            lateRows=self._late,
            observed=self._observed or None,
            sources=[_source(source, bool(latest)) for source in last.get("sources", ())],
        )
        return {"headwater_streaming": {key: value for key, value in facet.items() if value is not None}}

    def _written_per_second(self) -> float | None:
        seconds = self._clock() - self._since
        return None if self._written is None or seconds <= 0 else _number(self._written / seconds)

    def _observe(self, name: str, values: Json) -> None:
        metrics = self._observed.setdefault(name, {})
        for key, value in values.items():
            number = _number(value)
            if number is not None and (name, key) in self.counters:
                metrics[key] = metrics.get(key, 0) + value
            elif number is not None or isinstance(value, str):
                metrics[key] = value

    def input_facets(self, dataset: Dataset, only: bool) -> Json:
        """`only`: the query reads nothing else, so all rows are of this dataset."""
        sources = [s for s in self._last.get("sources", ()) if only or is_of(s, dataset)]
        if not sources:
            return {}
        rows = sum(self._read.get(str(source.get("description")), 0) for source in sources)
        return {"inputStatistics": SPARK.facet("InputStatisticsInputDatasetFacet", "1-0-0", rowCount=rows)}

    def output_facets(self) -> Json:
        if self._written is None:
            return {}
        return {"outputStatistics": SPARK.facet("OutputStatisticsOutputDatasetFacet", "1-0-2", rowCount=self._written)}

    def reset(self) -> None:
        """Starts counting again, after an event."""
        self._read, self._written, self._batches, self._late, self._observed = {}, None, 0, 0, {}
        self._since = self._clock()


def is_of(source: Json, dataset: Dataset) -> bool:
    """Spark describes a source in words; topics are the keys of its offsets."""
    offsets = source.get("endOffset")
    if dataset.namespace.startswith("kafka://"):
        return isinstance(offsets, dict) and dataset.name in offsets
    return dataset.name.strip("/") in str(source.get("description"))


def _source(source: Json, is_new: bool) -> Json:
    keys = ("description", "startOffset", "endOffset", "latestOffset")
    source_json: Json = {key: source[key] for key in keys if source.get(key) is not None}
    if is_new:
        source_json["numInputRows"] = source.get("numInputRows")
        for key in ("inputRowsPerSecond", "processedRowsPerSecond"):
            if (number := _number(source.get(key))) is not None:
                source_json[key] = number
    behind = _behind(source)
    return source_json | ({"offsetsBehind": behind} if behind is not None else {})


def _behind(source: Json) -> int | None:
    """How far a topic's end is away. Spark's own figure is 0 where no limit is set, which is no lag."""
    latest, end = source.get("latestOffset"), source.get("endOffset")
    if not isinstance(latest, dict) or not isinstance(end, dict):
        return None
    behind = 0
    for topic, partitions in latest.items():
        if not isinstance(partitions, dict) or not isinstance(end.get(topic), dict):
            return None
        for partition, offset in partitions.items():
            behind += max(0, int(offset) - int(end[topic].get(partition, 0)))
    return behind


def _number(value: Any) -> float | None:
    """Spark writes NaN and Infinity for a rate that it does not know; JSON has no such numbers."""
    if not isinstance(value, (int, float)) or value != value or value in (float("inf"), float("-inf")):
        return None
    return round(float(value), 3)
