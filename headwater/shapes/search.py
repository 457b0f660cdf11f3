"""Hits of the search. `type`, `name`, `updatedAt`, `namespace` and `nodeId` are what Marquez clients read."""

from datetime import datetime

import msgspec


class Highlight(msgspec.Struct, gc=False):
    """Where the words were found: `text` with the hits in <em>…</em>, HTML-escaped otherwise."""

    field: str  # name, namespace, columns, description, tags, owners or sql
    text: str


class SearchHit(msgspec.Struct, gc=False):
    type: str  # JOB or DATASET
    name: str
    updatedAt: datetime | None
    namespace: str
    nodeId: str
    score: float
    description: str | None
    highlights: list[Highlight]


class SearchAnswer(msgspec.Struct):
    totalCount: int
    results: list[SearchHit]
