"""What a record holds, and where each part of it comes from.

A value gives its fields one by one, so that the same transform answers two questions: which fields come out of a
record whose schema is known (sinks), and what a field that came out was made from (sources, where only the schema
at the end is known).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater.watch.fields import Field

Names = tuple[str, ...]


class Origin(NamedTuple):
    """A part of the record that the connector read or made: `key` or `value`, and the way down into it."""

    part: str
    path: Names = ()


_VALUE = Origin("value")


class Transformation(NamedTuple):
    """What happened to a value between its origin and here."""

    changed: bool = False
    masked: bool = False

    def then(self, other: "Transformation") -> "Transformation":
        return Transformation(self.changed or other.changed, self.masked or other.masked)


AS_IS, CHANGED, MASKED = Transformation(), Transformation(True), Transformation(True, True)
Origins = dict[Origin, Transformation]


def united(several: Iterable[Origins]) -> Origins:
    """A part that arrives by several paths is changed if one of them changes it, and masked if all of them mask it."""
    merged: Origins = {}
    for origins in several:
        for origin, transformation in origins.items():
            known = merged.get(origin)
            merged[origin] = (
                transformation
                if known is None
                else Transformation(known.changed or transformation.changed, known.masked and transformation.masked)
            )
    return merged


class Value:
    """`names` is None where the fields are not known, and empty for what has none."""

    type: str | None = None
    constant: str | None = None

    def origins(self) -> Origins:
        raise NotImplementedError

    def names(self) -> Names | None:
        return ()

    def get(self, name: str) -> "Value | None":
        return None

    def at(self, path: Iterable[str]) -> "Value | None":
        value: Value | None = self
        for name in path:
            value = value.get(name) if value is not None else None
        return value


@dataclass(frozen=True)
class Part(Value):
    """A part of the record as the connector has it; with its schema, if that is known."""

    origin: Origin
    schema: Field | None = None

    @property
    def type(self) -> str | None:  # type: ignore[override]
        return (self.schema.type or None) if self.schema is not None else None

    def origins(self) -> Origins:
        names = self.names() if self.origin == _VALUE else None
        if names:  # the whole of a record is all of its fields
            return united(below.origins() for name in names if (below := self.get(name)) is not None)
        return {self.origin: AS_IS}

    def names(self) -> Names | None:
        if self.schema is None:
            return None
        return tuple(f.name for f in self.schema.fields) if self.schema.type == "struct" else ()

    def get(self, name: str) -> Value | None:
        below = Origin(self.origin.part, (*self.origin.path, name))
        if self.schema is None:
            return Part(below)
        if self.schema.type != "struct":
            return None
        return next((Part(below, f) for f in self.schema.fields if f.name == name), None)


@dataclass(frozen=True)
class Row(Value):
    """A row of a table: it has any column, and no column has fields."""

    origin: Origin
    type: str | None = "struct"

    def origins(self) -> Origins:
        return {self.origin: AS_IS}

    def names(self) -> Names | None:
        return None

    def get(self, name: str) -> Value | None:
        return Part(Origin(self.origin.part, (*self.origin.path, name)), Field(name, ""))


@dataclass(frozen=True)
class Constant(Value):
    """Comes from outside the record: a text of the configuration, the topic's name, a time."""

    type: str | None = None
    constant: str | None = None

    def origins(self) -> Origins:
        return {}


@dataclass(frozen=True)
class Struct(Value):
    """Fields that are known one by one."""

    fields: Mapping[str, Value]
    type: str | None = "struct"

    def origins(self) -> Origins:
        return united(value.origins() for value in self.fields.values())

    def names(self) -> Names | None:
        return tuple(self.fields)

    def get(self, name: str) -> Value | None:
        return self.fields.get(name)


@dataclass(frozen=True)
class Changed(Value):
    """A value after a transformation."""

    base: Value
    transformation: Transformation = CHANGED
    type: str | None = None
    whole: bool = False
    """It has no fields, whatever it was made from."""

    def origins(self) -> Origins:
        return {
            origin: transformation.then(self.transformation) for origin, transformation in self.base.origins().items()
        }

    def names(self) -> Names | None:
        return () if self.whole else self.base.names()

    def get(self, name: str) -> Value | None:
        below = None if self.whole else self.base.get(name)
        return Changed(below, self.transformation) if below is not None else None


@dataclass(frozen=True)
class Edited(Value):
    """A struct with some fields replaced, added or removed."""

    base: Value
    set: Mapping[str, Value] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    type: str | None = "struct"

    def origins(self) -> Origins:
        known = self.names()
        if known is None:
            return united([self.base.origins(), *(value.origins() for value in self.set.values())])
        return united(value.origins() for name in known if (value := self.get(name)) is not None)

    def names(self) -> Names | None:
        base = self.base.names()
        if base is None:
            return None
        remaining = [name for name in base if name not in self.gone or name in self.set]
        return (*remaining, *(name for name in self.set if name not in remaining))

    def get(self, name: str) -> Value | None:
        if name in self.set:
            return self.set[name]
        return None if name in self.gone else self.base.get(name)


@dataclass(frozen=True)
class Flat(Value):
    """A struct whose nested fields stand at the top, under joined names."""

    base: Value
    delimiter: str
    type: str | None = "struct"

    def origins(self) -> Origins:
        return self.base.origins()

    def names(self) -> Names | None:
        return _leaves(self.base, self.delimiter)

    def get(self, name: str) -> Value | None:
        known = self.names()
        if known is not None and name not in known:
            return None
        return _down(self.base, name, self.delimiter)


def _leaves(value: Value, delimiter: str) -> Names | None:
    names = value.names()
    if names is None:
        return None
    leaves: list[str] = []
    for name in names:
        below = value.get(name)
        inside = _leaves(below, delimiter) if below is not None else ()
        leaves += [name + delimiter + leaf for leaf in inside] if inside else [name]
    return tuple(leaves)


def _down(value: Value, name: str, delimiter: str) -> Value | None:
    """A field's own name may contain the delimiter: the longest prefix that leads to a leaf wins."""
    whole = value.get(name)
    if whole is not None and whole.names() == ():
        return whole
    parts = name.split(delimiter) if delimiter else [name]
    for cut in range(len(parts) - 1, 0, -1):
        below = value.get(delimiter.join(parts[:cut]))
        leaf = _down(below, delimiter.join(parts[cut:]), delimiter) if below is not None else None
        if leaf is not None:
            return leaf
    return whole


@dataclass(frozen=True)
class Whole(Value):
    """All of a value as one piece without fields."""

    base: Value

    def origins(self) -> Origins:
        names = self.base.names()
        if not names:
            return self.base.origins()
        return united(below.origins() for name in names if (below := self.base.get(name)) is not None)


@dataclass(frozen=True)
class Anything(Value):
    """A value of unknown content, which may be made from all of `base`."""

    base: tuple[Value, ...]

    def origins(self) -> Origins:
        return {
            o: transformation.then(CHANGED)
            for o, transformation in united(value.origins() for value in self.base).items()
        }

    def names(self) -> Names | None:
        return None

    def get(self, name: str) -> Value | None:
        return self


@dataclass(frozen=True)
class Either(Value):
    """One value or the other, depending on the record."""

    one: Value
    other: Value

    @property
    def type(self) -> str | None:  # type: ignore[override]
        return self.one.type or self.other.type

    def origins(self) -> Origins:
        return united([self.one.origins(), self.other.origins()])

    def names(self) -> Names | None:
        one, other = self.one.names(), self.other.names()
        return None if one is None or other is None else tuple(dict.fromkeys((*one, *other)))

    def get(self, name: str) -> Value | None:
        one, other = self.one.get(name), self.other.get(name)
        return Either(one, other) if one is not None and other is not None else one or other
