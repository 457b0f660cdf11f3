"""The lineage of one connector: its datasets, their columns, and where the columns come from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from headwater.emit.naming import Dataset
from headwater.watch.connect import columns as cols
from headwater.watch.connect.columns import InputField
from headwater.watch.fields import Field


@dataclass
class Output:
    dataset: Dataset
    schema: tuple[Field, ...] = ()
    columns: dict[str, list[InputField]] = field(default_factory=dict)
    rows: list[InputField] = field(default_factory=list)
    """Fields that decide whether a row is written."""

    def add(
        self, schema: Iterable[Field], columns: Mapping[str, list[InputField]], rows: Iterable[InputField] = ()
    ) -> None:
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
    """The consumer group of a sink."""
    notes: list[str] = field(default_factory=list)
    """What could not be understood."""

    def add_input(self, dataset: Dataset, schema: Iterable[Field] = ()) -> None:
        self.inputs[dataset] = cols.merged(self.inputs.get(dataset, ()), schema)

    def output(self, dataset: Dataset) -> Output:
        return self.outputs.setdefault(dataset, Output(dataset))

    def topic(self, namespace: str, name: str) -> Dataset:
        self.topics[name] = namespace
        return Dataset(namespace, name)
