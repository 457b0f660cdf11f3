"""How soon an order is in the record of its window, once nothing more can come for that window."""

import json
import statistics
import time
from io import BytesIO
from typing import Any

from bench.orders import produce
from bench.report import Figure, at_most
from bench.servers import BenchError
from pipeline.jobs import Context
from pipeline.schemas import STATS, SUPPLIER_STATS
from pipeline.supplier_stats_stream import JOB, LATENESS

_LATENESS = float(LATENESS.removesuffix(" seconds"))
_RATE, _SECONDS = 100, 60
_SETTLING = 15.0  # what was in the topic before is worked off


def freshness(context: Context) -> Figure:
    """While orders come in evenly, at the interval that the job has by itself."""
    query = JOB.begin(context, JOB.every)
    try:
        began = time.time()
        produce(context.settings.kafka, context.settings.registry, _RATE, "--seconds", str(_SECONDS))
        ended = time.time()
    finally:
        query.stop()
    waits = [
        written - passed
        for end, written in _windows(context.settings.kafka)
        if began + _SETTLING < (passed := end + _LATENESS) < ended - 4 * JOB.every
    ]
    if not waits:
        raise BenchError("no window was written")
    intervals = statistics.median(waits) / JOB.every
    text = f"{statistics.median(waits):.1f} s; {max(waits):.1f} s, batches every {JOB.every:g} s"
    return at_most(
        "an order in its window's record, after the watermark passed (median; worst)", intervals, 2, text, "2 intervals"
    )


def _windows(kafka: str) -> list[tuple[float, float]]:
    """Of each record the end of its window, and when it was written."""
    from confluent_kafka import Consumer, KafkaError
    from fastavro import parse_schema, schemaless_reader

    schema = parse_schema(json.loads(STATS))
    consumer = Consumer(
        {
            "bootstrap.servers": kafka,
            "group.id": "bench-windows",
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
        }
    )
    consumer.subscribe([SUPPLIER_STATS])
    windows: list[tuple[float, float]] = []
    ends: set[int] = set()
    try:
        while not ends or len(ends) < len(consumer.assignment()):
            message = consumer.poll(30)
            if message is None:
                raise BenchError(f"{SUPPLIER_STATS} cannot be read")
            if message.error():
                if message.error().code() != KafkaError._PARTITION_EOF:
                    raise BenchError(str(message.error()))
                ends.add(message.partition())
                continue
            stats: Any = schemaless_reader(BytesIO(message.value()[5:]), schema, None)
            windows.append((stats["window_end"].timestamp(), message.timestamp()[1] / 1000))
    finally:
        consumer.close()
    return windows
