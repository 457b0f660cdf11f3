"""Topics, their growth, and the lag of consumer groups, read from Kafka. Needs confluent-kafka."""

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
    """What goes through one topic for one connector."""

    per_second: float | None
    rows: int | None
    """Records since the refresh before."""
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
        config = {"bootstrap.servers": servers, "socket.timeout.ms": 10_000, **(options or {})}
        self._admin: Any = AdminClient({**config, "error_cb": self._note_error}, logger=quiet)
        self._all_brokers_down = False
        self._every = every
        self._refreshed_at = 0.0
        self._ends: tuple[float, Offsets] = (0.0, {})
        self._groups: dict[str, tuple[float, Offsets]] = {}
        self.topics: frozenset[str] | None = None
        self.flows: dict[str, dict[str, Flow]] = {}
        """By connector and topic."""
        self.problem = ""

    async def refresh(self, used: Mapping[str, tuple[str | None, Iterable[str]]]) -> bool:
        """`used`: for each connector its consumer group, if it is a sink, and its topics. False if it was too early, or
        Kafka did not answer."""
        if time.monotonic() - self._refreshed_at < self._every:
            return False
        self._refreshed_at = time.monotonic()
        try:
            await asyncio.to_thread(
                self._refresh, {name: (group, list(topics)) for name, (group, topics) in used.items()}
            )
        except Exception as e:  # of librdkafka, in many shapes
            if not self.problem:
                self.problem = f"Kafka does not answer: {e}"
                log.warning("%s; rates and lag are not reported until it does", self.problem)
            return False
        if self.problem:
            log.warning("Kafka answers again")
        self.problem = ""
        return True

    def _refresh(self, used: dict[str, tuple[str | None, list[str]]]) -> None:
        from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
        from confluent_kafka.admin import OffsetSpec

        metadata = self._metadata()
        self.topics = frozenset(metadata.topics)
        existing = {topic for _, topics in used.values() for topic in topics if topic in metadata.topics}
        partitions = [TopicPartition(t, p) for t in existing for p in metadata.topics[t].partitions]
        offsets = self._admin.list_offsets({p: OffsetSpec.latest() for p in partitions}) if partitions else {}
        now = time.monotonic()
        ends = {(p.topic, p.partition): future.result(_TIMEOUT).offset for p, future in offsets.items()}
        groups = {
            name: self._admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group]
            for name, (group, _) in used.items()
            if group
        }
        before, self._ends = self._ends, (now, ends)
        flows: dict[str, dict[str, Flow]] = {}
        committed: dict[str, tuple[float, Offsets]] = {}
        for name, (group, topics) in used.items():
            read: tuple[float, Offsets] | None = None
            if group:
                positions = groups[name].result(_TIMEOUT).topic_partitions
                read = (now, {(p.topic, p.partition): p.offset for p in positions if p.offset >= 0})
                committed[name] = read
            flows[name] = {
                topic: flow(topic, (now, ends), before, read, self._groups.get(name))
                for topic in topics
                if topic in existing
            }
        self._groups, self.flows = committed, flows

    def _metadata(self) -> Any:
        """In short steps, so that it fails as soon as all brokers are known to be down."""
        from confluent_kafka import KafkaException

        until, self._all_brokers_down = time.monotonic() + _TIMEOUT, False
        while True:
            try:
                return self._admin.list_topics(timeout=_STEP)
            except KafkaException:
                self._admin.poll(0)  # calls back with errors
                if self._all_brokers_down or time.monotonic() > until:
                    raise

    def _note_error(self, error: Any) -> None:
        from confluent_kafka import KafkaError

        self._all_brokers_down |= error.code() == KafkaError._ALL_BROKERS_DOWN


def flow(
    topic: str,
    ends: tuple[float, Offsets],
    ends_before: tuple[float, Offsets],
    read: tuple[float, Offsets] | None,
    read_before: tuple[float, Offsets] | None,
) -> Flow:
    """For a source the growth of the topic; for a sink what its group committed, and how far that is from the end."""
    end = sum(offset for (name, _), offset in ends[1].items() if name == topic)
    if read is None:
        rows, seconds = _growth(topic, ends, ends_before)
        return Flow(_rate(rows, seconds), rows, None, end)
    rows, seconds = _growth(topic, read, read_before or (0.0, {}))
    of_topic = {key: offset for key, offset in read[1].items() if key[0] == topic}
    lag = sum(max(0, ends[1].get(key, offset) - offset) for key, offset in of_topic.items()) if of_topic else None
    return Flow(_rate(rows, seconds), rows, lag, end)


def _growth(topic: str, now: tuple[float, Offsets], before: tuple[float, Offsets]) -> tuple[int | None, float]:
    """Only of partitions that were known before, so that their earlier records are not counted."""
    same = [key for key in now[1] if key[0] == topic and key in before[1]]
    if not same:
        return None, 0.0
    return max(0, sum(now[1][key] - before[1][key] for key in same)), now[0] - before[0]


def _rate(rows: int | None, seconds: float) -> float | None:
    return round(rows / seconds, 3) if rows is not None and seconds > 0 else None
