"""Counts what is in the lab: topics, tables and files, each at its source."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

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
        files = (self._folder / "s3/buckets/archive/raw/orders").glob("partition=*/*.parquet")
        return sum(parquet.rows(path.read_bytes()) for path in files)

    def made(self) -> int:
        """Orders in the topic. Offsets would count ends of transactions too."""
        return sum(1 for _ in self._messages("orders"))

    def dead(self) -> Counter[str]:
        """Orders that were put aside, by reason; one that was put aside twice, as may happen after a fault, is one."""
        reasons = {}
        for message in self._messages("orders-dead-letters"):
            headers = {name: value.decode() for name, value in message.headers()}
            reasons[headers["source"]] = headers["reason"]
        return Counter(reasons.values())

    def _messages(self, topic: str) -> Iterator[Message]:
        """All that there are now, of completed transactions."""
        server = f"{self._values['host']}:{self._values['kafka']}"
        ends = kafka.offsets(self._values["host"], int(self._values["kafka"]), topic, kafka.LATEST)
        consumer = Consumer(
            {"bootstrap.servers": server, "group.id": "demo-check", "enable.auto.commit": False}
            | {"isolation.level": "read_committed", "enable.partition.eof": True, "auto.offset.reset": "earliest"}
        )
        try:
            for partition in ends:
                consumer.assign([TopicPartition(topic, partition, 0)])
                while True:
                    message = consumer.poll(30)
                    assert message is not None, f"{topic} says nothing for 30 s"
                    if message.error() is not None:
                        assert message.error().code() == KafkaError._PARTITION_EOF, message.error()
                        break
                    yield message
        finally:
            consumer.close()
