"""What is in a topic, and in a folder of the lab's S3 store: all of it."""

import gzip
import json
import time
from pathlib import Path
from typing import Any

import fastavro
import pyarrow.parquet
from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

from headwater.lab import kafka

Rows = list[dict[str, Any]]


def records(server: str, topic: str) -> list[Message]:
    """Those of transactions that were completed, up to the end that the topic has now."""
    host, port = server.split(":")
    ends = kafka.offsets(host, int(port), topic, kafka.LATEST)
    consumer = Consumer(
        {"bootstrap.servers": server, "group.id": "all", "enable.auto.commit": False, "enable.partition.eof": True}
        | {"isolation.level": "read_committed", "auto.offset.reset": "earliest"}
    )
    messages = []
    try:
        for partition in ends:
            consumer.assign([TopicPartition(topic, partition, 0)])
            while True:
                message = consumer.poll(60)
                assert message is not None, f"{topic} says nothing for a minute"
                if (error := message.error()) is not None:
                    assert error.code() == KafkaError._PARTITION_EOF, error
                    break
                messages.append(message)
    finally:
        consumer.close()
    return messages


def sequence(server: str, topic: str) -> list[int]:
    """The field `n` of records in JSON, in order."""
    return sorted(json.loads(message.value())["n"] for message in records(server, topic))


def objects(lab: Path, folder: str) -> list[Path]:
    """Objects of the store are files. One that it is just writing, or was cut off at, has another ending."""
    known = (".json", ".gz", ".avro", ".parquet")
    return sorted(path for path in (lab / "s3/buckets/archive" / folder).rglob("*") if path.suffix in known)


def rows(path: Path) -> Rows:
    """By those readers that people have."""
    content = path.read_bytes()
    match path.suffixes[-1]:
        case ".gz":
            return [json.loads(line) for line in gzip.decompress(content).splitlines()]
        case ".json":
            return [json.loads(line) for line in content.splitlines()]
        case ".avro":
            with path.open("rb") as file:
                return [dict(row) for row in fastavro.reader(file)]
        case ".parquet":
            return list(pyarrow.parquet.ParquetFile(path).read().to_pylist())
    raise AssertionError(path)


def stored(lab: Path, folder: str) -> list[int]:
    return sorted(row["n"] for path in objects(lab, folder) for row in rows(path))


def wait_stored(lab: Path, folder: str, count: int, patience: float) -> list[int]:
    """Until there are so many, or more."""
    end = time.monotonic() + patience
    while len(rows := stored(lab, folder)) < count:
        assert time.monotonic() < end, f"{len(rows)} of {count} records are in {folder}"
        time.sleep(1)  # all is read each time
    return rows
