"""What a streaming job is, and the context that it works in."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

from pipeline.records import KnownSchemas, counted, decode, unknown_ids, unknown_schema_id
from pipeline.schemas import ORDERS
from pipeline.settings import Settings

MAX_IDS = 1000
"""Unknown schema ids of one batch: each becomes part of a condition."""


@dataclass(frozen=True)
class Context:
    spark: SparkSession
    settings: Settings
    known: KnownSchemas
    stats_schema_id: int
    max_records: int
    topic: str = ORDERS

    def records(self) -> DataFrame:
        """The topic of orders from its beginning, or from where the query's checkpoint says."""
        return (
            self.spark.readStream.format("kafka")
            .option("kafka.bootstrap.servers", self.settings.kafka)
            .option("subscribe", self.topic)
            .option("startingOffsets", "earliest")
            # Records of a transaction that was aborted, or left open by a killed producer, are no orders.
            .option("kafka.isolation.level", "read_committed")
            # After a long absence the backlog is read in pieces, not in one batch of hours.
            .option("maxOffsetsPerTrigger", self.max_records)
            .load()
        )

    def decoded(self) -> DataFrame:
        return counted(decode(self.records(), self.known))

    def unknown_ids(self, problem: str) -> set[int]:
        """The schema ids that made a query fail. The error names one; the rest of its batch is searched for others, so
        that a batch of rubbish does not make it fail a thousand times."""
        named = unknown_schema_id(problem)
        if named is None:
            return set()
        start, end = (_offsets(problem, which) for which in ("Committed", "Available"))
        if end is None:
            return {named}
        batch = (
            self.spark.read.format("kafka")
            .option("kafka.bootstrap.servers", self.settings.kafka)
            .option("subscribe", self.topic)
            .option("startingOffsets", start or "earliest")
            .option("endingOffsets", end)
            .option("kafka.isolation.level", "read_committed")
            .load()
        )
        return {named} | {int(row.id) for row in unknown_ids(batch, self.known).limit(MAX_IDS).collect()}

    def checkpoint(self, name: str) -> str:
        return f"{as_uri(self.settings.checkpoints)}/{name}"


Prepared = Callable[[DataFrame], DataStreamWriter]
"""Gives the writer of a DataFrame, with the query's name, checkpoint and trigger."""


@dataclass(frozen=True)
class Job:
    """A query. `start` says what to read, what to make of it and where to put it."""

    name: str
    start: Callable[[Context, Prepared], StreamingQuery]
    every: float
    """Seconds from one batch to the next, unless someone says otherwise."""
    decodes: bool = True
    """It has to be restarted when more schemas are known."""

    def begin(self, context: Context, every: float) -> StreamingQuery:
        def prepared(df: DataFrame) -> DataStreamWriter:
            return (
                df.writeStream.queryName(self.name)
                .option("checkpointLocation", context.checkpoint(self.name))
                .trigger(processingTime=f"{round(every * 1000)} milliseconds")
            )

        # A job with long intervals reads more at once, to keep up with the others.
        max_records = round(context.max_records * max(1.0, every / 5))
        return self.start(replace(context, max_records=max_records), prepared)


def _offsets(problem: str, which: str) -> str | None:
    """From Spark's error of a query that failed."""
    match = re.search(rf"^Current {which} Offsets: \{{KafkaV2\[[^{{]*: (\{{.*\}})\}}$", problem, re.MULTILINE)
    return match[1] if match else None


def as_uri(folder: str) -> str:
    return folder.rstrip("/") if "://" in folder else Path(folder).absolute().as_uri()
