"""Why is it wrong: suspects upstream, each with its evidence."""

from datetime import datetime
from enum import StrEnum

import msgspec

from headwater.shapes.diff import FieldRef, FieldRetyped


class SuspectKind(StrEnum):
    """What can be wrong with a job or dataset."""

    # The weight of each is in headwater/why/order.py, its sentence in headwater/why/words.py.
    RUN_FAILED = "RUN_FAILED"
    RUN_ABORTED = "RUN_ABORTED"
    RUN_STUCK = "RUN_STUCK"
    RUN_LATE = "RUN_LATE"
    SCHEMA_CHANGED = "SCHEMA_CHANGED"
    DATASET_DROPPED = "DATASET_DROPPED"
    DATASET_RENAMED = "DATASET_RENAMED"
    STATISTIC_JUMPED = "STATISTIC_JUMPED"


class Evidence(msgspec.Struct, omit_defaults=True):
    """What the suspicion rests on; only what belongs to the kind of suspect is there."""

    runId: str | None = None
    state: str | None = None
    startedAt: datetime | None = None
    endedAt: datetime | None = None
    lastSign: datetime | None = None  # the last event of a run that seems stuck
    expectedAt: datetime | None = None  # of a run that is late
    everySeconds: float | None = None  # how often the job usually runs, or a stream gives a sign
    usualSeconds: float | None = None  # how long the job usually runs
    error: str | None = None  # the message, and the first lines of the stack trace
    added: list[FieldRef] = []
    removed: list[FieldRef] = []
    retyped: list[FieldRetyped] = []
    previousName: str | None = None  # node id
    jobId: str | None = None  # node id of the job that counted
    statistic: str | None = None  # rowCount, size or fileCount
    before: float | None = None  # the usual value, the median of earlier runs
    after: float | None = None
    positions: list[int] = []  # events in the log that say so


class Suspect(msgspec.Struct):
    kind: SuspectKind
    nodeId: str  # the job or dataset under suspicion
    distance: int
    suspicion: float  # from 0 to 1; suspects come in this order
    at: datetime
    summary: str  # one sentence for people
    evidence: Evidence
    explains: list[str] = []  # nodes whose own troubles follow from this one


class Examined(msgspec.Struct):
    jobs: int
    datasets: int
    runs: int


class Why(msgspec.Struct):
    nodeId: str
    at: datetime
    since: datetime  # changes before this are not suspected
    suspects: list[Suspect]
    examined: Examined
    truncated: bool  # there is more upstream than was examined; the nearest was
