"""What several answers have in common."""

from datetime import datetime

import msgspec


class NodeRef(msgspec.Struct, gc=False):
    """A job, dataset or column, enough to show it and to ask on."""

    nodeId: str
    type: str  # JOB, DATASET or DATASET_FIELD
    namespace: str
    name: str
    field: str | None = None  # of a DATASET_FIELD


class EdgeRef(msgspec.Struct, gc=False):
    origin: str
    destination: str


class RunSummary(msgspec.Struct, gc=False):
    id: str
    state: str
    startedAt: datetime | None
    endedAt: datetime | None
    durationMs: int | None
