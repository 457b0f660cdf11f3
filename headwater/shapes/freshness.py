"""How fresh a dataset is, and what nobody looks after."""

from datetime import datetime

import msgspec

from headwater.shapes.common import NodeRef, RunSummary


class Freshness(msgspec.Struct):
    nodeId: str
    at: datetime
    lastWrittenAt: datetime | None
    ageSeconds: float | None
    job: str | None  # node id of the job that wrote it last
    run: RunSummary | None
    everySeconds: float | None
    expectedAt: datetime | None  # when the next write is due, going by how often the job runs
    late: bool
    inputs: list["InputFreshness"]  # the oldest first, those of unknown age at the end
    truncated: bool = False  # there are more inputs than are shown


class InputFreshness(NodeRef, gc=False):
    lastWrittenAt: datetime | None = None
    ageSeconds: float | None = None
    late: bool = False


class Gaps(msgspec.Struct):
    """Jobs without owner, datasets without producer or without consumer."""

    kind: str
    totalCount: int
    nodes: list[NodeRef]
