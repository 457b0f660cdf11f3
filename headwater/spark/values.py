"""What a value in a plan is made of: columns of datasets, and how they got there.

A value may have fields, of which one may be picked later: a struct its own, an array those of its elements, a map
`key` and `value`. Text or bytes with an encoded struct in them (`to_avro`, `to_json`) keep the struct.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from headwater.spark.kinds import DIRECT, IDENTITY, INDIRECT, TRANSFORMATION, composed, only, then


class Source(NamedTuple):
    """A column of a dataset; a field of a struct is written with a dot."""

    namespace: str
    name: str
    field: str

    def at(self, field: str) -> "Source":
        return self._replace(field=f"{self.field}.{field}" if self.field else field)


class Variable(NamedTuple):
    """A lambda's parameter, until it gets its value."""

    id: int
    path: tuple[str, ...] = ()

    def at(self, field: str) -> "Variable":
        return self._replace(path=(*self.path, field))


Origin = Source | Variable
Deps = dict[Origin, int]


class Value:
    """`own` is the value as a whole. `fields` are the known fields of a struct, `open` are the origins whose fields can
    be picked by name, `encoded` is the struct in text or bytes."""

    __slots__ = ("encoded", "fields", "open", "own")

    def __init__(
        self,
        own: Deps,
        fields: "dict[str, Value] | None" = None,
        open: Deps | None = None,  # noqa: A002
        encoded: "Value | None" = None,
    ) -> None:
        self.own, self.fields, self.open, self.encoded = own, fields, open, encoded

    def has_inside(self) -> bool:
        return self.fields is not None or self.open is not None

    def pick(self, name: str) -> "Value":
        """A field of the struct. Spark ignores case by default, so an exact match comes first, then any case."""
        if self.fields is not None:
            if name in self.fields:
                return self.fields[name]
            lower = name.lower()
            for field, value in self.fields.items():
                if field.lower() == lower:
                    return value
        if self.open:
            fields: Deps = {origin.at(name): kinds for origin, kinds in self.open.items()}
            indirect = {origin: kinds & INDIRECT for origin, kinds in self.own.items() if kinds & INDIRECT}
            return Value(united([fields, indirect]), open=dict(fields))
        return derived([self])

    def mapped(self, change: Callable[[int], int]) -> "Value":
        """The same value with every kind changed."""
        return Value(
            {origin: change(kinds) for origin, kinds in self.own.items()},
            None if self.fields is None else {name: value.mapped(change) for name, value in self.fields.items()},
            None if self.open is None else {origin: change(kinds) for origin, kinds in self.open.items()},
            None if self.encoded is None else self.encoded.mapped(change),
        )

    def after(self, step: int) -> "Value":
        """The same value, and its inside, after a direct step."""
        return self.mapped(lambda kinds: then(kinds, step))

    def with_indirect(self, more: Mapping[Origin, int]) -> "Value":
        """The same value, which also depends on these."""
        if not more:
            return self
        return Value(
            united([self.own, more]),
            None if self.fields is None else {n: v.with_indirect(more) for n, v in self.fields.items()},
            self.open,
            None if self.encoded is None else self.encoded.with_indirect(more),
        )


NOTHING = Value({})


def united(many: Iterable[Mapping[Origin, int]]) -> Deps:
    merged: Deps = {}
    for deps in many:
        for origin, kinds in deps.items():
            merged[origin] = merged.get(origin, 0) | kinds
    return merged


def column(*sources: Source) -> Value:
    """A column as it lies in its dataset, or datasets."""
    own: Deps = dict.fromkeys(sources, IDENTITY)
    return Value(own, open=own)


def derived(values: Iterable[Value], step: int = TRANSFORMATION) -> Value:
    """A value computed from others; it has none of their fields."""
    own = united(value.own for value in values)
    return Value({origin: then(kinds, step) for origin, kinds in own.items()})


def struct(fields: dict[str, Value]) -> Value:
    return Value(derived(fields.values()).own, fields)


def used(values: Iterable[Value], indirect: int) -> Deps:
    """What values depend on, where they are used only in an indirect way."""
    own = united(value.own for value in values)
    return {origin: only(kinds, indirect) for origin, kinds in own.items()}


def either(values: list[Value], constant: bool = False) -> Value:
    """One of several values, as it is: the branches of CASE, of COALESCE, of GROUPING SETS.

    Where all of them are the same column, the result is that column; else it is made of all of them.
    Structs are put together field by field. `constant`: a literal is among them.
    """
    if not values:
        return NOTHING
    encoded = [value.encoded for value in values if value.encoded is not None]
    struct_inside = either(encoded) if encoded else None
    if all(value.has_inside() for value in values):
        names = dict.fromkeys(name for value in values for name in value.fields or ())
        fields = {name: either([value.pick(name) for value in values], constant) for name in names} or None
        opens = [value.open or {} for value in values]
        step = TRANSFORMATION if constant or len(set(map(_key, opens))) > 1 else IDENTITY
        opened: Deps = {o: then(k, step) for o, k in united(opens).items()}
        return Value(_merged([value.own for value in values], constant), fields, opened or None, struct_inside)
    return Value(_merged([value.own for value in values], constant), encoded=struct_inside)


def _key(deps: Deps) -> frozenset[tuple[Origin, int]]:
    return frozenset((origin, kinds & DIRECT) for origin, kinds in deps.items() if kinds & DIRECT)


def _merged(many: list[Deps], constant: bool) -> Deps:
    together = united(many)
    if not constant and len(set(map(_key, many))) == 1:
        return together
    return {origin: then(kinds, TRANSFORMATION) for origin, kinds in together.items()}


def together(values: list[Value]) -> Value:
    """Rows of several relations below each other: every kind stays as it is."""
    if len(values) == 1:
        return values[0]
    own = united(value.own for value in values)
    encoded = [value.encoded for value in values if value.encoded is not None]
    struct_inside = together(encoded) if encoded else None
    filled = [value for value in values if value.own or value.has_inside()]
    if filled and all(value.fields and len(value.fields) == len(filled[0].fields or ()) for value in filled):
        # Structs below each other fit by position, whatever their fields are called.
        by_position = zip(*((value.fields or {}).values() for value in filled), strict=True)
        first = filled[0].fields or {}
        same = {name: together(list(parts)) for name, parts in zip(first, by_position, strict=True)}
        return Value(own, same, united(value.open or {} for value in filled) or None, struct_inside)
    if filled and all(value.has_inside() for value in filled):
        names = dict.fromkeys(name for value in filled for name in value.fields or ())
        fields = {name: together([value.pick(name) for value in filled]) for name in names} or None
        return Value(own, fields, united(value.open or {} for value in filled) or None, struct_inside)
    return Value(own, encoded=struct_inside)


def bound(value: Value, to: Mapping[int, Value]) -> Value:
    """A lambda's body, with these values for its parameters."""
    return Value(
        _resolved(value.own, to, lambda v: v.own),
        None if value.fields is None else {name: bound(v, to) for name, v in value.fields.items()},
        None if value.open is None else _resolved(value.open, to, lambda v: v.open or {}) or None,
        None if value.encoded is None else bound(value.encoded, to),
    )


def _resolved(deps: Deps, to: Mapping[int, Value], part: Callable[[Value], Deps]) -> Deps:
    resolved: list[Deps] = []
    for origin, kinds in deps.items():
        if isinstance(origin, Variable) and origin.id in to:
            value = to[origin.id]
            for name in origin.path:
                value = value.pick(name)
            resolved.append({o: composed(k, kinds) for o, k in part(value).items()})
        else:
            resolved.append({origin: kinds})
    return united(resolved)


def mentions(value: Value, variables: Iterable[int]) -> bool:
    ids = set(variables)
    return any(isinstance(origin, Variable) and origin.id in ids for origin in value.own)
