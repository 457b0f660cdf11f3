"""The registers of edits ↔ rows: (which register, of what, value)."""

from typing import Any

import msgspec

from headwater.ids import Micros
from headwater.model.changes import Ref
from headwater.model.edited import Edited

_key = msgspec.json.Encoder().encode
_pack = msgspec.msgpack.Encoder().encode
_text_and_description = tuple[Micros, str, str | None]
_keys = {
    name: msgspec.json.Decoder(kind)
    for name, kind in {"namespaces": str, "sources": str, "tags": str, "tagged": Ref, "deleted": Ref}.items()
}
_values: dict[str, msgspec.msgpack.Decoder[Any]] = {
    "namespaces": msgspec.msgpack.Decoder(_text_and_description),
    "sources": msgspec.msgpack.Decoder(_text_and_description),
    "tags": msgspec.msgpack.Decoder(tuple[Micros, str | None]),
    "tagged": msgspec.msgpack.Decoder(list[tuple[str, str, Micros, bool]]),
    "deleted": msgspec.msgpack.Decoder(tuple[Micros, ...]),
}


def take(edited: Edited) -> list[tuple[str, str, bytes]]:
    """The rows of all registers that are dirty; none is afterwards."""
    dirty, edited.dirty = edited.dirty, set()
    rows = []
    for register, key in dirty:
        value = getattr(edited, register)[key]
        if register == "tagged":
            value = [(field, tag, at, on) for (field, tag), (at, on) in value.items()]
        rows.append((register, _key(key).decode(), _pack(value)))
    return rows


def restore(edited: Edited, row: tuple[str, str, bytes]) -> None:
    register, key, packed = row
    value = _values[register].decode(packed)
    if register == "tagged":
        value = {(field, tag): (at, on) for field, tag, at, on in value}
    getattr(edited, register)[_keys[register].decode(key)] = value
