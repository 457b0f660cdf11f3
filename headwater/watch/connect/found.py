"""What is looked for in a connector's configuration, and what was found."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from headwater.emit.naming import Dataset, kafka_namespace
from headwater.watch.connect import columns as cols
from headwater.watch.connect.chain import Notes, Record, Step, run
from headwater.watch.connect.columns import From
from headwater.watch.connect.mapping import Known
from headwater.watch.connect.transforms import RULES
from headwater.watch.fields import Field

Schemas = Callable[[str, str], Field | None]
"""Asked for a topic and `key` or `value`; None where nobody knows."""


@dataclass(frozen=True)
class World:
    """What is known besides the configuration."""

    kafka: str
    """Addresses of the brokers of Connect's own cluster."""
    seen: frozenset[str] = frozenset()
    """Topics that Connect has seen the connector use."""
    all_topics: frozenset[str] | None = None
    """All topics of the cluster, if somebody asked."""
    schemas: Schemas = lambda topic, part: None

    def columns(self, topic: str) -> tuple[Field, ...] | None:
        """A topic's columns: the fields of the value, and the key if it has a schema. None if nobody knows."""
        value, key = self.schemas(topic, "value"), self.schemas(topic, "key")
        if value is None:
            return None
        fields = value.fields if value.type == "struct" else (Field("value", value.type),)
        if key is not None and not any(field.name == "key" for field in fields):
            fields = (*fields, key._replace(name="key"))
        return fields


@dataclass
class Output:
    dataset: Dataset
    schema: tuple[Field, ...] = ()
    columns: dict[str, list[From]] = field(default_factory=dict)
    rows: list[From] = field(default_factory=list)
    """What decides whether a row is written."""

    def add(self, schema: Iterable[Field], columns: Mapping[str, list[From]], rows: Iterable[From] = ()) -> None:
        self.schema = cols.merged(self.schema, schema)
        for name, origins in columns.items():
            known = self.columns.setdefault(name, [])
            known += [origin for origin in origins if origin not in known]
        self.rows += [origin for origin in rows if origin not in self.rows]


@dataclass
class Lineage:
    """`pairs`: which input goes into which output, where a connector has several."""

    inputs: dict[Dataset, tuple[Field, ...]] = field(default_factory=dict)
    outputs: dict[Dataset, Output] = field(default_factory=dict)
    pairs: set[tuple[Dataset, Dataset]] = field(default_factory=set)
    topics: dict[str, str] = field(default_factory=dict)
    """Topics that are read or written, and the namespace of each."""
    group: str | None = None
    notes: list[str] = field(default_factory=list)

    def read(self, dataset: Dataset, schema: Iterable[Field] = ()) -> None:
        self.inputs[dataset] = cols.merged(self.inputs.get(dataset, ()), schema)

    def written(self, dataset: Dataset) -> Output:
        return self.outputs.setdefault(dataset, Output(dataset))

    def topic(self, namespace: str, name: str) -> Dataset:
        self.topics[name] = namespace
        return Dataset(namespace, name)


@dataclass(frozen=True)
class Search:
    """One connector, all that is known of it, and what is found."""

    name: str
    config: Mapping[str, str]
    chain: list[Step]
    known: Known
    world: World
    found: Lineage
    notes: Notes

    def run(self, record: Record) -> list[Record]:
        return run(self.chain, record, RULES, self.known, self.notes)

    def kafka(self, role: str) -> str:
        """The cluster that the connector's own client talks to; its configuration may name another."""
        return kafka_namespace(self.config.get(f"{role}.override.bootstrap.servers") or self.world.kafka)
