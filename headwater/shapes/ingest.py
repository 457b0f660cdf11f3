"""The answer to a batch of events, as OpenLineage's clients know it."""

import msgspec


class BatchSummary(msgspec.Struct):
    received: int
    successful: int
    failed: int
    retriable: int
    non_retriable: int


class FailedEvent(msgspec.Struct):
    index: int
    reason: str
    retriable: bool


class BatchAnswer(msgspec.Struct):
    status: str
    summary: BatchSummary
    failed_events: list[FailedEvent]
