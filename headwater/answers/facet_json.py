"""Facets of a job, dataset or run as they are shown."""

from collections.abc import Mapping

from msgspec import Raw

from headwater.facet_contents import Contents
from headwater.ids import DELETED, ContentId
from headwater.interpret.datasets import SCHEMA, SCHEMAS
from headwater.model.entities import Registers


def contents_shown(facets: Registers) -> dict[str, ContentId]:
    """Facets by the names under which they are shown."""
    shown = {name: register[2] for name, register in facets.items() if register[2] != DELETED}
    schemas = [content for name in SCHEMAS if (content := shown.pop(name, None)) is not None]
    if schemas:
        shown[SCHEMA] = schemas[0]
    return shown


def shown_facets(
    contents: Contents, facets: Registers, known: Mapping[ContentId, bytes] | None = None
) -> dict[str, Raw]:
    """`known`: contents that were read before, for many at once. What came in since is read now."""
    shown = contents_shown(facets)
    if known is None or not known.keys() >= set(shown.values()):
        known = contents.read(shown.values())
    return {name: Raw(known[content]) for name, content in shown.items()}
