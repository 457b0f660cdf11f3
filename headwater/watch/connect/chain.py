"""The transforms of a connector, in order: what they make of a record's topic, key and value."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from headwater.watch.connect import java
from headwater.watch.connect.mapping import ClassDescriptions
from headwater.watch.connect.values import Anything, Either, Value

Config = Mapping[str, str]

SMT = "OpenLineageLifecycleSmt"
"""Headwater's own transform, which lets every record pass as it is."""


@dataclass(frozen=True)
class Record:
    """`topic` is None where it depends on what is in the record."""

    topic: str | None
    key: Value
    value: Value

    def part(self, name: str) -> Value:
        return self.key if name == "Key" else self.value

    def with_part(self, name: str, value: Value) -> "Record":
        return replace(self, key=value) if name == "Key" else replace(self, value=value)


@dataclass(frozen=True)
class Step:
    """One transform. `part` is `Key` or `Value` for those that come in two kinds."""

    name: str
    type: str
    part: str
    options: Config
    predicate: "Predicate | None" = None

    def option(self, *names: str, default: str = "") -> str:
        return next((self.options[name] for name in names if self.options.get(name)), default)

    def listed(self, *names: str) -> list[str]:
        return [element.strip() for element in self.option(*names).split(",") if element.strip()]


@dataclass(frozen=True)
class Predicate:
    type: str
    options: Config
    negate: bool

    def holds(self, topic: str | None) -> bool | None:
        """For an ordinary record of this topic; None where it depends on the record."""
        kind = self.type.rpartition(".")[2]
        holds: bool | None = None
        if kind == "TopicNameMatches" and topic is not None:
            regex = java.pattern(self.options.get("pattern", ""))
            holds = bool(regex.fullmatch(topic)) if regex is not None else None
        elif kind == "RecordIsTombstone":
            holds = False  # a record without a value has no columns to follow
        return holds if holds is None else holds != self.negate


Rule = Callable[[Step, Record, "Notes"], "Record | None"]
"""The record that comes out; None if none does."""


@dataclass
class Notes:
    """What could not be understood; each text once."""

    texts: dict[str, None] = field(default_factory=dict)

    def add(self, text: str) -> None:
        self.texts[text] = None

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)


def steps(config: Config, notes: Notes) -> list[Step]:
    chain = []
    for name in _names(config, "transforms"):
        prefix = f"transforms.{name}."
        options = {key[len(prefix) :]: value for key, value in config.items() if key.startswith(prefix)}
        type_, _, part = options.get("type", "").partition("$")
        if not type_:
            notes.add(f"the transform {name} has no type")
            continue
        chain.append(Step(name, type_, part, options, _predicate(options, config, notes)))
    return chain


def _predicate(options: Config, config: Config, notes: Notes) -> Predicate | None:
    name = options.get("predicate")
    if not name:
        return None
    prefix = f"predicates.{name}."
    predicate = {key[len(prefix) :]: value for key, value in config.items() if key.startswith(prefix)}
    if "type" not in predicate:
        notes.add(f"the predicate {name} is not defined")
    return Predicate(predicate.get("type", ""), predicate, options.get("negate", "").lower() == "true")


def _names(config: Config, option: str) -> list[str]:
    return [name.strip() for name in config.get(option, "").split(",") if name.strip()]


def run(
    chain: list[Step], record: Record, rules: Mapping[str, Rule], classes: ClassDescriptions, notes: Notes
) -> list[Record]:
    """What becomes of a record: nothing, one record, or several alternatives."""
    records = [record]
    for step in chain:
        records = [made for before in records for made in _step(step, before, rules, classes, notes)]
    return records


def _step(
    step: Step, record: Record, rules: Mapping[str, Rule], classes: ClassDescriptions, notes: Notes
) -> list[Record]:
    holds = step.predicate.holds(record.topic) if step.predicate is not None else True
    if holds is False:
        return [record]
    made = _applied(step, record, rules, classes, notes)
    if holds:
        return [made] if made is not None else []
    if made is None:
        return [record]
    if made.topic == record.topic:  # only the fields may differ
        return [Record(record.topic, Either(made.key, record.key), Either(made.value, record.value))]
    return [made, record]


def _applied(
    step: Step, record: Record, rules: Mapping[str, Rule], classes: ClassDescriptions, notes: Notes
) -> Record | None:
    whole = f"{step.type}${step.part}" if step.part else step.type
    rule = rules.get(step.type)
    effect = classes.effect(whole) or classes.effect(step.type)
    if effect == "none" or step.type.rpartition(".")[2] == SMT:
        return record
    if effect == "topic":
        notes.add(f"the transform {step.name} ({whole}) chooses the topic by what is in the record")
        return replace(record, topic=None)
    if rule is not None and effect is None:
        return rule(step, record, notes)
    if effect is None:
        notes.add(f"the transform {step.name} has an unknown class, {whole}: any column may come from any")
    if step.part:
        return record.with_part(step.part, Anything((record.part(step.part),)))
    everything = Anything((record.key, record.value))
    return Record(record.topic, everything, everything)
