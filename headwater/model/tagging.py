"""Tags: those of the `tags` facet, and those that people put on or take off, which count first."""

from collections.abc import Iterable

from headwater.model.edited import Tags
from headwater.openlineage import facets as f

WHOLE = ""
"""Stands for the job or dataset itself where others are columns."""


def tags_by_field(facet: f.Tags | None, edited: Tags) -> dict[str, list[str]]:
    """The tags of each column, and of the whole."""
    tags: dict[str, dict[str, None]] = {}
    for tag in (facet.tags if facet else None) or ():
        tags.setdefault(tag.field or WHOLE, {})[tag.label] = None
    for (field, name), (_, on) in sorted(edited.items()):
        if on:
            tags.setdefault(field, {})[name] = None
        else:
            tags.get(field, {}).pop(name, None)
    return {field: list(names) for field, names in tags.items() if names}


def labels(facet: f.JobType | None) -> list[str]:
    """What kind of job it is, as Marquez labels it."""
    parts: Iterable[str | None] = (facet.jobType, facet.integration) if facet else ()
    return [part for part in parts if part]
