"""Hits of the search. `type`, `name`, `updatedAt`, `namespace` and `nodeId` are what Marquez clients read."""

from datetime import datetime
from typing import Any

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


class BetaHit(msgspec.Struct, gc=False):
    """A job or dataset with its latest run, as Marquez's beta search has it."""

    run_id: str | None
    eventType: str | None
    name: str
    namespace: str
    facets: dict[str, Any]
    type: str | None = None  # of a job: BATCH, STREAM or SERVICE
    runFacets: dict[str, Any] = {}  # of a job's latest run


class BetaSearchAnswer(msgspec.Struct):
    """`highlights` in the order of `hits`, each by the path of the field."""

    hits: list[BetaHit]
    highlights: list[dict[str, list[str]]]
