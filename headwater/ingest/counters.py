"""What the server counts, and how the store is doing."""

from dataclasses import dataclass


@dataclass
class Counters:
    """Shown in /metrics."""

    accepted: int = 0
    duplicates: int = 0
    rejected: int = 0
    bytes_in: int = 0
    commits: int = 0
    table_writes: int = 0
    store_failures: int = 0
    queries_running: int = 0
    queries_timed_out: int = 0
    queries_abandoned: int = 0


@dataclass
class StoreHealth:
    """Shown in the health check."""

    last_failure: str | None = None  # why the disk refused the last write, if it did
