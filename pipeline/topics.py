"""Creates topics that must exist before they are read."""

from collections.abc import Iterable

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic


class KafkaUnavailable(Exception):
    """The broker does not answer. It may be back in a moment."""


def ensure(kafka: str, names: Iterable[str], partitions: int) -> None:
    """A topic that exists stays as it is."""
    # Its own errors about a broker that is away would only repeat ours.
    admin = AdminClient({"bootstrap.servers": kafka, "log_level": 0})
    try:
        missing = set(names) - admin.list_topics(timeout=10).topics.keys()
        new = [NewTopic(name, num_partitions=partitions, replication_factor=-1) for name in sorted(missing)]
        for created in admin.create_topics(new).values() if new else ():
            try:
                created.result()
            except KafkaException as e:
                if e.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:  # another program was quicker
                    raise
    except KafkaException as e:
        raise KafkaUnavailable(f"Kafka at {kafka} does not answer: {e.args[0].str()}") from e
