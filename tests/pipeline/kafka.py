"""Topics as clients see them that have nothing to do with Spark."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext

from pipeline.settings import Settings


class Message(NamedTuple):
    topic: str
    partition: int
    offset: int
    time: int
    key: bytes | None
    value: bytes | None
    headers: Mapping[str, bytes]

    @property
    def place(self) -> str:
        return f"{self.topic}/{self.partition}/{self.offset}"


def messages(places: Settings, topic: str) -> list[Message]:
    """All that is in the topic now."""
    consumer = Consumer({"bootstrap.servers": places.kafka, "group.id": "reader", "enable.auto.commit": False})
    try:
        partitions = consumer.list_topics(topic, timeout=30).topics[topic].partitions
        left = {}
        for number in partitions:
            low, high = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=30)
            if high > low:
                left[number] = high
        consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in left])
        messages: list[Message] = []
        while left:
            for message in consumer.consume(5000, timeout=10):
                assert message.error() is None, message.error()
                messages.append(_message(message))
                if message.offset() + 1 >= left.get(message.partition(), 0):
                    left.pop(message.partition(), None)
        return messages
    finally:
        consumer.close()


def _message(message: Any) -> Message:
    return Message(
        message.topic(),
        message.partition(),
        message.offset(),
        message.timestamp()[1],
        message.key(),
        message.value(),
        dict(message.headers() or []),
    )


def send(places: Settings, topic: str, values: Sequence[bytes | None]) -> None:
    producer = Producer({"bootstrap.servers": places.kafka})
    for value in values:
        producer.produce(topic, value)
    assert producer.flush(60) == 0


def schemas(places: Settings, subject: str) -> dict[int, str]:
    with SchemaRegistryClient({"url": places.registry}) as client:
        versions = [client.get_version(subject, number) for number in client.get_versions(subject)]
        return {version.schema_id: version.schema.schema_str for version in versions}


def register(places: Settings, subject: str, schema: str) -> int:
    with SchemaRegistryClient({"url": places.registry}) as client:
        return int(client.register_schema(subject, Schema(schema, "AVRO")))


def decoded(places: Settings, topic: str, subject: str, schema: str) -> list[dict[str, Any]]:
    """Records as the registry's own client reads them."""
    with SchemaRegistryClient({"url": places.registry}) as client:
        assert client.get_latest_version(subject).schema.schema_str == schema
        deserialize = AvroDeserializer(client)
        where = SerializationContext(topic, MessageField.VALUE)
        return [deserialize(message.value, where) for message in messages(places, topic)]


def latest(places: Settings, topic: str) -> int:
    """The time of the last record, in milliseconds; 0 while Kafka does not answer."""
    consumer = Consumer({"bootstrap.servers": places.kafka, "group.id": "reader", "enable.auto.commit": False})
    try:
        times = [0]
        for number in consumer.list_topics(topic, timeout=30).topics[topic].partitions:
            _, high = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=30)
            if high:
                consumer.assign([TopicPartition(topic, number, high - 1)])
                times += [message.timestamp()[1] for message in consumer.consume(1, timeout=10)]
        return max(times)
    finally:
        consumer.close()
