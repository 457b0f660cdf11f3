"""Typed facets by content: a facet that was read once costs nothing the next time."""

from typing import Any, TypeVar

from headwater.caches import TwoGenerationCache
from headwater.ids import ContentId
from headwater.openlineage import facets as f
from headwater.openlineage.event import Facets

_F = TypeVar("_F", bound=f.FacetBody)

# Enough for the facets that a few thousand live jobs repeat; a miss only costs a decode.
_KEPT = 8192

_read: TwoGenerationCache[tuple[ContentId, type], tuple[Any]] = TwoGenerationCache(_KEPT)


def read(kind: type[_F], facets: Facets, name: str) -> _F | None:
    facet = facets.get(name)
    if facet is None:
        return None
    key = (facet.content, kind)
    kept = _read.get(key) or _read.put(key, (f.read(kind, facet.body),))
    found: _F | None = kept[0]
    return found


def contents(facets: Facets) -> dict[str, ContentId]:
    """Facet name → content id, DELETED where the facet is being taken back."""
    return {name: facet.told for name, facet in facets.items()}
