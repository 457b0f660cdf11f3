"""Columns of datasets from the values of records."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from headwater.emit.naming import Dataset
from headwater.watch.connect.values import Origin, Origins, Struct, Transformation, Value
from headwater.watch.fields import Field

# Fields nested deeper than this do not become columns.
_DEPTH = 6

Column = Callable[[Origin], str | None]
"""The input column that a part of the record holds; None if it holds none."""


class InputField(NamedTuple):
    """A column of an input, and what happened to its values on the way to the output."""

    dataset: Dataset
    field: str
    transformation: Transformation


def of_topic(origin: Origin) -> str | None:
    """Fields of the value are the topic's columns; the key is the column `key`, as Spark has it."""
    if origin.part == "key":
        return ".".join(("key", *origin.path))
    return ".".join(origin.path) or "value"


def of_row(origin: Origin) -> str | None:
    return ".".join(origin.path) or None


def of_envelope(origin: Origin) -> str | None:
    """A change record has the row before and after the change; the rest of it is about the change."""
    if origin.part == "key":
        return ".".join(origin.path) or None
    if len(origin.path) > 1 and origin.path[0] in ("before", "after"):
        return ".".join(origin.path[1:])
    return None


def of_line(origin: Origin) -> str | None:
    return "line" if origin.part == "value" else None


def came_from(origins: Origins, dataset: Dataset, column: Column) -> list[InputField]:
    fields: dict[str, InputField] = {}
    for origin, transformation in origins.items():
        name = column(origin)
        if name is None:
            continue
        known = fields.get(name)
        if known is not None:  # before and after a change are the same column
            transformation = Transformation(
                known.transformation.changed and transformation.changed,
                known.transformation.masked and transformation.masked,
            )
        fields[name] = InputField(dataset, name, transformation)
    return list(fields.values())


def named(value: Value, schema: Iterable[Field] | None = None) -> Iterator[tuple[str, Value | None, str | None]]:
    """Columns with their values and types: fields, and fields of structs inside with dots in their names.
    With a schema these are the schema's, else as far as the value itself knows."""
    if schema is not None:
        yield from _by_schema(value, schema, (), _DEPTH)
    else:
        yield from _by_value(value, (), _DEPTH)


def _by_schema(
    value: Value | None, schema: Iterable[Field], above: tuple[str, ...], depth: int
) -> Iterator[tuple[str, Value | None, str | None]]:
    for field in schema:
        below = value.get(field.name) if value is not None else None
        yield ".".join((*above, field.name)), below, field.type or None
        if field.type == "struct" and depth:
            yield from _by_schema(below, field.fields, (*above, field.name), depth - 1)


def _by_value(value: Value, above: tuple[str, ...], depth: int) -> Iterator[tuple[str, Value | None, str | None]]:
    for name in value.names() or ():
        below = value.get(name)
        if below is None:
            continue
        yield ".".join((*above, name)), below, below.type
        if depth:
            yield from _by_value(below, (*above, name), depth - 1)


def schema_of(value: Value, depth: int = _DEPTH) -> tuple[Field, ...]:
    """The fields that a value is known to have."""
    fields = []
    for name in value.names() or ():
        below = value.get(name)
        if below is not None:
            inside = schema_of(below, depth - 1) if depth else ()
            fields.append(Field(name, "struct" if inside else below.type or "", inside))
    return tuple(fields)


def merged(one: Iterable[Field], other: Iterable[Field]) -> tuple[Field, ...]:
    """All fields of both; the first one's description of a field wins."""
    fields = {field.name: field for field in one}
    for field in other:
        known = fields.get(field.name)
        if known is None:
            fields[field.name] = field
        elif known.type == field.type == "struct":
            fields[field.name] = known._replace(fields=merged(known.fields, field.fields))
        elif not known.type:
            fields[field.name] = field
    return tuple(fields.values())


def only(value: Value, names: Iterable[str]) -> Value:
    return Struct({name: field for name in names if (field := value.get(name)) is not None})
