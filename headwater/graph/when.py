"""Which time a question is about: all that is known, a moment, or a window."""

from typing import Protocol

from headwater.ids import Micros, Node
from headwater.model import spans
from headwater.model.edited import NEVER
from headwater.model.entities import ColumnSet, Edge, Job
from headwater.model.state import State
from headwater.openlineage.event import stamp_time


class When(Protocol):
    def alive(self, state: State, edge: Edge) -> bool: ...
    def deleted(self, state: State, *nodes: Node) -> Micros:
        """The last time by then that one of these was deleted: what was reported up to it is gone."""

    def hides(self, state: State, node: Node) -> bool:
        """Whether the job or dataset was deleted, and not seen again by then."""

    def reported(self, column_set: ColumnSet) -> bool:
        """Whether the column set had been reported by then."""


class Always:
    def alive(self, state: State, edge: Edge) -> bool:
        return not state.gone or not state.is_gone(edge)

    def deleted(self, state: State, *nodes: Node) -> Micros:
        return max(map(state.deleted, nodes))

    def hides(self, state: State, node: Node) -> bool:
        return state.is_hidden(node)

    def reported(self, column_set: ColumnSet) -> bool:
        return True


class At:
    """As it was at a moment. An edge is there from the first time it was seen until its job has
    gone on without it for longer than `spans.GAP`: between two runs a job keeps its lineage."""

    def __init__(self, at: Micros) -> None:
        self._at = at
        self._job_last: dict[Node, Micros] = {}

    def alive(self, state: State, edge: Edge) -> bool:
        last = self.last_seen(state, edge)
        if last is None:
            return False
        job = state.nodes[edge.dst]
        if not isinstance(job, Job):
            job = state.nodes[edge.src]
            if not isinstance(job, Job):
                return True
        latest = self._job_last.get(job.node)
        if latest is None:
            latest = self._last_of(job)
        return last >= latest - spans.GAP

    def last_seen(self, state: State, edge: Edge) -> Micros | None:
        """When the edge was last seen by then; None if not yet, or not since an end was deleted."""
        last = edge.last if edge.last <= self._at else spans.last_before(edge, self._at)
        if last is not None and state.gone and last <= self.deleted(state, edge.src, edge.dst):
            return None
        return last

    def deleted(self, state: State, *nodes: Node) -> Micros:
        return max(state.deleted(node, self._at) for node in nodes)

    def hides(self, state: State, node: Node) -> bool:
        return _hidden_by(state, node, self._at)

    def reported(self, column_set: ColumnSet) -> bool:
        return stamp_time(column_set.first) <= self._at

    def _last_of(self, job: Job) -> Micros:
        latest = Micros(0)
        for edge in (*job.into, *job.out):
            last = edge.last if edge.last <= self._at else spans.last_before(edge, self._at)
            if last is not None and last > latest:
                latest = last
        self._job_last[job.node] = latest
        return latest


class During:
    """All that was there at any time in a window."""

    def __init__(self, since: Micros | None, until: Micros | None) -> None:
        self._since = since if since is not None else Micros(-(1 << 62))
        self._until = until if until is not None else Micros(1 << 62)

    def alive(self, state: State, edge: Edge) -> bool:
        last = spans.last_before(edge, self._until)
        if last is None or last < self._since:
            return False
        return not state.gone or last > self.deleted(state, edge.src, edge.dst)

    def deleted(self, state: State, *nodes: Node) -> Micros:
        """What was deleted within the window is not shown either."""
        return max(state.deleted(node, self._until) for node in nodes)

    def hides(self, state: State, node: Node) -> bool:
        return _hidden_by(state, node, self._until)

    def reported(self, column_set: ColumnSet) -> bool:
        return stamp_time(column_set.first) <= self._until


def _hidden_by(state: State, node: Node, at: Micros) -> bool:
    """Hidden at a moment: deleted, and no event shows that it was seen between then and the moment."""
    return bool(state.gone) and all(_unseen(state, member, at) for member in state.aliases.members(node))


def _unseen(state: State, node: Node, at: Micros) -> bool:
    entity, deleted = state.nodes[node], state.deleted(node, at)
    if entity.first is None:
        return True
    if deleted == NEVER or deleted < entity.last <= at:
        return False
    seen = (spans.last_before(edge, at) for edge in (*entity.into, *entity.out))
    return not any(moment is not None and moment > deleted for moment in seen)
