"""Which versions fed which run: `job`, `run` and `inputs` as Marquez clients know them."""

from datetime import datetime

import msgspec


class RunJob(msgspec.Struct, gc=False):
    namespace: str
    name: str
    version: str | None


class RunTimes(msgspec.Struct, gc=False):
    id: str
    start: datetime | None
    end: datetime | None
    status: str


class VersionRead(msgspec.Struct, gc=False):
    namespace: str
    name: str
    version: str
    producedByRunId: str | None  # None: no event says who wrote it


class VersionWritten(msgspec.Struct, gc=False):
    namespace: str
    name: str
    version: str


class LinkedRun(msgspec.Struct, gc=False):
    job: RunJob
    run: RunTimes
    inputs: list[VersionRead]
    outputs: list[VersionWritten]


class RunLineage(msgspec.Struct):
    runs: list[LinkedRun]  # the requested one first, then by distance
    truncated: bool  # there are more runs than are shown; the nearest are here
