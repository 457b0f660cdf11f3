"""Which jobs are late, and which runs are stuck."""

from datetime import datetime

import msgspec

from headwater.shapes.common import NodeRef, RunSummary


class LateJob(NodeRef, kw_only=True, gc=False):
    run: RunSummary  # its last one
    expectedAt: datetime  # when the next one was due
    everySeconds: float  # how often the job usually runs


class StuckJob(NodeRef, kw_only=True, gc=False):
    run: RunSummary  # the one that is RUNNING
    lastEventAt: datetime
    everySeconds: float | None = None  # how often a stream usually sends an event, where that is known
    usualSeconds: float | None = None  # how long a batch job usually runs, where that is known


class Late(msgspec.Struct):
    at: datetime
    late: list[LateJob]  # the longest overdue first
    stuck: list[StuckJob]  # the longest silent first
    examined: int  # jobs; the most recently active ones
