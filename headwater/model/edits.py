"""What people change through the API, as records of the log.

Most of what people change through the API is lineage and becomes an OpenLineage event. The rest, for
which OpenLineage has no events, is an edit: who owns a namespace, where a source is, tags, and what is
deleted. In the log an edit is `edit ` followed by JSON, which cannot be mistaken for an event, as no JSON
begins like that. `apply_edits.py` folds them into `Edited`.
"""

from hashlib import blake2b

import msgspec

from headwater.errors import BadEvent, Problem
from headwater.ids import Micros
from headwater.openlineage.skeleton import Facet

_MARK = b"edit "


class Change(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    at: Micros  # the server's time; of two edits of one thing the later counts


class NamespacePut(Change, frozen=True, gc=False, tag="namespace"):
    name: str
    owner: str
    description: str | None = None


class SourcePut(Change, frozen=True, gc=False, tag="source"):
    name: str
    kind: str
    url: str
    description: str | None = None


class TagPut(Change, frozen=True, gc=False, tag="tag"):
    name: str
    description: str | None = None


class Tagged(Change, frozen=True, gc=False, tag="tagged"):
    """A tag on a job, a dataset or (with `field`) a column; or taken off it."""

    entity: tuple[str, str, str]  # `job` or `dataset`, namespace, name
    tag: str
    field: str | None = None
    on: bool = True


class Deleted(Change, frozen=True, gc=False, tag="deleted"):
    """All that was seen of these up to then is gone: (`job`, …), (`dataset`, …), or
    (`namespace`, name, ""), which includes its jobs and datasets."""

    entities: tuple[tuple[str, str, str], ...]


AnyEdit = NamespacePut | SourcePut | TagPut | Tagged | Deleted


class Edit(msgspec.Struct, frozen=True, gc=False):
    """A change as the log stores it; the same change at the same moment is the same record."""

    change: AnyEdit
    skeleton: bytes
    digest: bytes
    facets: tuple[Facet, ...] = ()


_encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(AnyEdit)


def edit(change: AnyEdit) -> Edit:
    return _record(change, _MARK + _encode(change))


def is_edit(body: bytes) -> bool:
    return body.startswith(_MARK)


def decode_edit(body: bytes) -> Edit:
    """An edit from the log. Raises BadEvent."""
    try:
        return _record(_decoder.decode(memoryview(body)[len(_MARK) :]), body)
    except msgspec.MsgspecError as e:
        raise BadEvent(Problem("", f"is no edit: {e}"), malformed=True) from None


def _record(change: AnyEdit, body: bytes) -> Edit:
    return Edit(change, body, blake2b(body, digest_size=16).digest())
