"""Fields of schemas, wherever they were read."""

from typing import NamedTuple


class Field(NamedTuple):
    """One field of a schema. Only a `struct` has fields that are columns of their own."""

    name: str
    type: str
    fields: tuple["Field", ...] = ()
