"""Typed facets by content: a facet that was read once costs nothing the next time."""

from typing import Any, TypeVar

from headwater.ids import DELETED, ContentId
from headwater.openlineage import facets as f
from headwater.openlineage.event import Facets

_F = TypeVar("_F", bound=f.FacetBody)

# Enough for the facets that a few thousand live jobs repeat; a miss only costs a decode.
_KEPT = 8192

_read: dict[tuple[ContentId, type], Any] = {}
_deleted: dict[ContentId, bool] = {}


def read(kind: type[_F], facets: Facets, name: str) -> _F | None:
    facet = facets.get(name)
    if facet is None:
        return None
    key = (facet.content, kind)
    found: _F | None
    try:
        found = _read[key]
    except KeyError:
        if len(_read) >= _KEPT:
            _read.clear()
        found = _read[key] = f.read(kind, facet.body)
    return found


def contents(facets: Facets) -> dict[str, ContentId]:
    """Facet name → content id, DELETED where the facet is being taken back."""
    return {name: DELETED if is_deleted(facet.content, facet.body) else facet.content for name, facet in facets.items()}


def is_deleted(content: ContentId, body: bytes) -> bool:
    known = _deleted.get(content)
    if known is None:
        if len(_deleted) >= _KEPT:
            _deleted.clear()
        known = _deleted[content] = f.is_deleted(body)
    return known
