"""Tags: what events say in the `tags` facet, and what people put on or take off, which counts first."""

from collections.abc import Iterable

from headwater.model.edited import Tags
from headwater.openlineage import facets as f

WHOLE = ""
"""Stands for the job or dataset itself where others are columns."""


def tags_by_field(told: f.Tags | None, edited: Tags) -> dict[str, list[str]]:
    """The tags of each column, and of the whole."""
    found: dict[str, dict[str, None]] = {}
    for tag in (told.tags if told else None) or ():
        found.setdefault(tag.field or WHOLE, {})[tag.label] = None
    for (field, name), (_, on) in sorted(edited.items()):
        if on:
            found.setdefault(field, {})[name] = None
        else:
            found.get(field, {}).pop(name, None)
    return {field: list(names) for field, names in found.items() if names}


def labels(told: f.JobType | None) -> list[str]:
    """What kind of job it is, as Marquez labels it."""
    parts: Iterable[str | None] = (told.jobType, told.integration) if told else ()
    return [part for part in parts if part]
