"""What facets say, by their content, so that a facet that repeats is decoded once."""

from typing import Any, TypeVar

from headwater.caches import TwoGenerationCache
from headwater.ids import ContentId
from headwater.model.changes import Ref
from headwater.openlineage import facets as f
from headwater.openlineage.event import Facets

_F = TypeVar("_F", bound=f.TypedFacet)

# Enough for the facets that a few thousand live jobs repeat.
_DECODED = 8192

# Every dataset has a schema of its own, and every job column lineage of its own: enough for many of them.
_SCHEMAS, _COLUMN_LINEAGES = 400_000, 200_000


class KnownFacets:
    """Caches that `interpret` uses and fills. They change nothing about what an event means: a miss only costs a
    decode. Whoever folds events has one of these: the ingest service, or a replay."""

    def __init__(self) -> None:
        self._decoded: TwoGenerationCache[tuple[ContentId, type], tuple[Any]] = TwoGenerationCache(_DECODED)
        # Whether a schema has columns.
        self.has_columns: TwoGenerationCache[ContentId, bool] = TwoGenerationCache(_SCHEMAS)
        # The datasets that column lineage names.
        self.column_sources: TwoGenerationCache[ContentId, tuple[Ref, ...]] = TwoGenerationCache(_COLUMN_LINEAGES)

    def read(self, kind: type[_F], facets: Facets, name: str) -> _F | None:
        """A facet, typed; None as in `openlineage.facets.read`."""
        facet = facets.get(name)
        if facet is None:
            return None
        key = (facet.content_id, kind)
        cached = self._decoded.get(key) or self._decoded.put(key, (f.read(kind, facet.content),))
        decoded: _F | None = cached[0]
        return decoded


def values(facets: Facets) -> dict[str, ContentId]:
    """For each facet what its register gets: the content id, DELETED where the facet is taken back."""
    return {name: facet.value for name, facet in facets.items()}
