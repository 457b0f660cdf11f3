"""Kafka's own word: which topics there are, how far they grow, how far behind a sink is. Needs confluent-kafka."""

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from headwater.errors import BadRequest

log = logging.getLogger("headwater.watch")

EVERY = 15.0
_TIMEOUT, _STEP = 10.0, 1.0
Offsets = dict[tuple[str, int], int]


class Flow(NamedTuple):
    """Of one topic, as one connector uses it."""

    per_second: float | None
    rows: int | None
    """Records since it was last asked for."""
    lag: int | None
    end: int


class Kafka:
    def __init__(self, servers: str, options: Mapping[str, str] | None = None, every: float = EVERY) -> None:
        try:
            from confluent_kafka.admin import AdminClient
        except ImportError:
            raise BadRequest(
                "Throughput, lag and topics.regex need Kafka's client: pip install confluent-kafka"
            ) from None
        quiet = logging.getLogger("headwater.watch.kafka.client")
        quiet.setLevel(logging.CRITICAL)
        told = {"bootstrap.servers": servers, "socket.timeout.ms": 10_000, **(options or {})}
        self._admin: Any = AdminClient({**told, "error_cb": self._hear}, logger=quiet)
        self._nobody_there = False
        self._every = every
        self._asked = 0.0
        self._ends: tuple[float, Offsets] = (0.0, {})
        self._groups: dict[str, tuple[float, Offsets]] = {}
        self.topics: frozenset[str] | None = None
        self.flows: dict[str, dict[str, Flow]] = {}
        """By connector and topic."""
        self.trouble = ""

    async def refresh(self, used: Mapping[str, tuple[str | None, Iterable[str]]]) -> bool:
        """`used`: for each connector its consumer group, if it is a sink, and its topics. Whether it was asked."""
        if time.monotonic() - self._asked < self._every:
            return False
        self._asked = time.monotonic()
        try:
            await asyncio.to_thread(
                self._refresh, {name: (group, list(topics)) for name, (group, topics) in used.items()}
            )
        except Exception as e:  # of librdkafka, in many shapes
            if not self.trouble:
                self.trouble = f"Kafka gives no answer: {e}"
                log.warning("%s; throughput and lag are not known", self.trouble)
            return False
        if self.trouble:
            log.warning("Kafka answers again")
        self.trouble = ""
        return True

    def _refresh(self, used: dict[str, tuple[str | None, list[str]]]) -> None:
        from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
        from confluent_kafka.admin import OffsetSpec

        metadata = self._metadata()
        self.topics = frozenset(metadata.topics)
        wanted = {topic for _, topics in used.values() for topic in topics if topic in metadata.topics}
        partitions = [TopicPartition(t, p) for t in wanted for p in metadata.topics[t].partitions]
        asked = self._admin.list_offsets({p: OffsetSpec.latest() for p in partitions}) if partitions else {}
        now = time.monotonic()
        ends = {(p.topic, p.partition): future.result(_TIMEOUT).offset for p, future in asked.items()}
        groups = {
            name: self._admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group]
            for name, (group, _) in used.items()
            if group
        }
        before, self._ends = self._ends, (now, ends)
        flows: dict[str, dict[str, Flow]] = {}
        known: dict[str, tuple[float, Offsets]] = {}
        for name, (group, topics) in used.items():
            read: tuple[float, Offsets] | None = None
            if group:
                told = groups[name].result(_TIMEOUT).topic_partitions
                read = (now, {(p.topic, p.partition): p.offset for p in told if p.offset >= 0})
                known[name] = read
            flows[name] = {
                topic: flow(topic, (now, ends), before, read, self._groups.get(name))
                for topic in topics
                if topic in wanted
            }
        self._groups, self.flows = known, flows

    def _metadata(self) -> Any:
        """In short steps, so that nobody waits for brokers that are known to be away."""
        from confluent_kafka import KafkaException

        until, self._nobody_there = time.monotonic() + _TIMEOUT, False
        while True:
            try:
                return self._admin.list_topics(timeout=_STEP)
            except KafkaException:
                self._admin.poll(0)  # what happened since is heard now
                if self._nobody_there or time.monotonic() > until:
                    raise

    def _hear(self, error: Any) -> None:
        from confluent_kafka import KafkaError

        self._nobody_there |= error.code() == KafkaError._ALL_BROKERS_DOWN


def flow(
    topic: str,
    ends: tuple[float, Offsets],
    ends_before: tuple[float, Offsets],
    read: tuple[float, Offsets] | None,
    read_before: tuple[float, Offsets] | None,
) -> Flow:
    """Of a source the growth of the topic, of a sink what its group committed, and how far that is from the end."""
    end = sum(offset for (name, _), offset in ends[1].items() if name == topic)
    if read is None:
        rows, seconds = _grown(topic, ends, ends_before)
        return Flow(_rate(rows, seconds), rows, None, end)
    rows, seconds = _grown(topic, read, read_before or (0.0, {}))
    of_topic = {key: offset for key, offset in read[1].items() if key[0] == topic}
    lag = sum(max(0, ends[1].get(key, offset) - offset) for key, offset in of_topic.items()) if of_topic else None
    return Flow(_rate(rows, seconds), rows, lag, end)


def _grown(topic: str, now: tuple[float, Offsets], before: tuple[float, Offsets]) -> tuple[int | None, float]:
    """Only partitions that were there before, so that what lay there already is not counted."""
    same = [key for key in now[1] if key[0] == topic and key in before[1]]
    if not same:
        return None, 0.0
    return max(0, sum(now[1][key] - before[1][key] for key in same)), now[0] - before[0]


def _rate(rows: int | None, seconds: float) -> float | None:
    return round(rows / seconds, 3) if rows is not None and seconds > 0 else None
