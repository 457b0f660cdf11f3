"""How much there is in the lab: topics, tables and files, each asked where it lies."""

from collections.abc import Mapping
from pathlib import Path

from confluent_kafka import Consumer, TopicPartition

from headwater.lab import iceberg, kafka
from tests.demo import parquet


class Counts:
    def __init__(self, folder: Path, values: Mapping[str, str]) -> None:
        self._folder, self._values = folder, values

    def records(self, topic: str) -> int:
        return kafka.records(self._values["host"], int(self._values["kafka"]), topic)

    def rows(self, table: str) -> int:
        return iceberg.rows(self._values, "default", table) or 0

    def archived(self) -> int:
        """Objects of the store are files."""
        files = (self._folder / "s3/buckets/archive/orders").glob("day=*/batch=*/*.parquet")
        return sum(parquet.rows(path.read_bytes()) for path in files)

    def dead(self) -> int:
        """Orders that were put aside; one that was put aside twice, as may happen after a fault, is one."""
        topic = "orders-dead-letters"
        server = f"{self._values['host']}:{self._values['kafka']}"
        ends = kafka.places(self._values["host"], int(self._values["kafka"]), topic, kafka.LATEST)
        consumer = Consumer({"bootstrap.servers": server, "group.id": "demo-check", "enable.auto.commit": False})
        sources: set[bytes] = set()
        try:
            for partition, end in ends.items():
                consumer.assign([TopicPartition(topic, partition, 0)])
                position = 0
                while position < end.offset:
                    message = consumer.poll(30)
                    assert message is not None, f"{topic} says nothing for 30 s"
                    assert message.error() is None, message.error()
                    sources.add(dict(message.headers())["source"])
                    position = message.offset() + 1
        finally:
            consumer.close()
        return len(sources)
