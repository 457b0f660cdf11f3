"""What the lineage of a connector is extracted from: its configuration, the descriptions of classes, Kafka's topics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from headwater.emit.naming import kafka_namespace
from headwater.watch.connect.chain import Notes, Record, Step, run
from headwater.watch.connect.lineage import Lineage
from headwater.watch.connect.mapping import ClassDescriptions
from headwater.watch.connect.transforms import RULES
from headwater.watch.fields import Field

Schemas = Callable[[str, str], Field | None]
"""The schema of a topic's `key` or `value`; None if it is not known."""


@dataclass(frozen=True)
class TopicCatalog:
    """What is known of Kafka's topics."""

    brokers: str
    """Addresses of the brokers of Connect's own cluster."""
    used: frozenset[str] = frozenset()
    """Topics that Connect has seen the connector use."""
    all_topics: frozenset[str] | None = None
    """All topics of the cluster; None if Kafka was not queried."""
    schemas: Schemas = lambda topic, part: None

    def columns(self, topic: str) -> tuple[Field, ...] | None:
        """A topic's columns: the fields of the value, and the key if it has a schema. None if there is no schema."""
        value, key = self.schemas(topic, "value"), self.schemas(topic, "key")
        if value is None:
            return None
        fields = value.fields if value.type == "struct" else (Field("value", value.type),)
        if key is not None and not any(field.name == "key" for field in fields):
            fields = (*fields, key._replace(name="key"))
        return fields


@dataclass(frozen=True)
class Extraction:
    """One connector while its lineage is put together."""

    name: str
    config: Mapping[str, str]
    chain: list[Step]
    classes: ClassDescriptions
    catalog: TopicCatalog
    lineage: Lineage = field(default_factory=Lineage)
    notes: Notes = field(default_factory=Notes)

    def run(self, record: Record) -> list[Record]:
        return run(self.chain, record, RULES, self.classes, self.notes)

    def kafka(self, role: str) -> str:
        """The cluster that the connector's own client talks to; its configuration may name another."""
        return kafka_namespace(self.config.get(f"{role}.override.bootstrap.servers") or self.catalog.brokers)
