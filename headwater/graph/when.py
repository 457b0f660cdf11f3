"""Which time a question is about: all that is known, a moment, or a window."""

from typing import Protocol

from headwater.ids import Micros, Node
from headwater.model import spans
from headwater.model.entities import ColumnSet, Edge, Job
from headwater.model.state import State
from headwater.openlineage.event import stamp_time


class When(Protocol):
    def alive(self, state: State, edge: Edge) -> bool: ...
    def tells(self, column_set: ColumnSet) -> bool:
        """Whether the column set had been told by then."""


class Always:
    def alive(self, state: State, edge: Edge) -> bool:
        return True

    def tells(self, column_set: ColumnSet) -> bool:
        return True


class At:
    """As it was at a moment. An edge is there from the first time it was seen until its job has
    gone on without it for longer than `spans.GAP`: between two runs a job keeps its lineage."""

    def __init__(self, at: Micros) -> None:
        self._at = at
        self._job_last: dict[Node, Micros] = {}

    def alive(self, state: State, edge: Edge) -> bool:
        last = spans.last_before(edge, self._at)
        if last is None:
            return False
        job = self._job(state, edge)
        return job is None or last >= self._last_of(job) - spans.GAP

    def tells(self, column_set: ColumnSet) -> bool:
        return stamp_time(column_set.first) <= self._at

    @staticmethod
    def _job(state: State, edge: Edge) -> Job | None:
        for node in (state.nodes[edge.src], state.nodes[edge.dst]):
            if isinstance(node, Job):
                return node
        return None

    def _last_of(self, job: Job) -> Micros:
        known = self._job_last.get(job.node)
        if known is None:
            seen = (spans.last_before(edge, self._at) for edge in (*job.into, *job.out))
            known = self._job_last[job.node] = max((s for s in seen if s is not None), default=Micros(0))
        return known


class During:
    """All that was there at any time in a window."""

    def __init__(self, since: Micros | None, until: Micros | None) -> None:
        self._since = since if since is not None else Micros(-(1 << 62))
        self._until = until if until is not None else Micros(1 << 62)

    def alive(self, state: State, edge: Edge) -> bool:
        return spans.overlaps(edge, self._since, self._until)

    def tells(self, column_set: ColumnSet) -> bool:
        return stamp_time(column_set.first) <= self._until
