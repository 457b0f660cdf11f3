"""Who is hit: everything downstream of a job, dataset or column."""

import msgspec

from headwater.shapes.common import NodeRef, RunSummary


class Impacted(NodeRef, gc=False):
    distance: int = 0  # in jobs: what the next job writes is 1 away
    # DIRECT: some way there copies or computes values; INDIRECT: every way only filters, joins,
    # groups or sorts by them; UNKNOWN: no event says how the columns are used.
    use: str = "UNKNOWN"
    owners: list[str] = msgspec.field(default_factory=list)
    latestRun: RunSummary | None = None  # of the job, or of the job that last wrote the dataset
    runs: int | None = None  # how many runs that job had
    everySeconds: float | None = None  # how often it runs, on average


class ImpactLevel(msgspec.Struct, gc=False):
    distance: int
    nodes: list[Impacted]


class Impact(msgspec.Struct):
    nodeId: str
    jobs: int
    datasets: int
    columns: int
    owners: dict[str, int]  # everyone who owns something that is hit, and how much
    levels: list[ImpactLevel]
    truncated: bool  # there is more than `limit`; the nearest are here
