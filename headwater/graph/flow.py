"""Which inputs of a job reach which of its outputs.

In this order: the job's `lineage` facet, the dataset's `lineage` facet, `columnLineage`, and
where none of them says anything, every input reaches every output. Column lineage has gaps in practice
(`count(*)`, pushed-down filters), so it is believed only as far as it explains: an input that
it names for one output is not also assumed for another output that has column lineage
without it; an input that it names nowhere still reaches all.
"""

from headwater.graph.when import When
from headwater.ids import DELETED, Node
from headwater.model.entities import COLUMNS, JOB_LINEAGE, LINEAGE, ColumnSet, Edge, Job
from headwater.model.state import State
from headwater.openlineage.event import stamp_time


def reported_columns(state: State, edge: Edge, kind: str, when: When) -> ColumnSet | None:
    """The column set of one kind that counts at that time."""
    candidates = [c for c in edge.columns or () if c.kind == kind and when.reported(c)]
    if state.gone and candidates:
        deleted = when.deleted(state, edge.src, edge.dst)
        candidates = [c for c in candidates if stamp_time(c.last) > deleted]
    if len(candidates) > 1:
        best: ColumnSet | None = max(candidates, key=lambda c: (c.last, c.content))
    else:
        best = candidates[0] if candidates else None
    if best is None or best.content == DELETED:
        return None
    if kind == JOB_LINEAGE:
        job = state.nodes[edge.src]
        current = job.declared if isinstance(job, Job) else None
        if current is None or current.content != best.content:
            return None
    return best


def column_set(state: State, edge: Edge, when: When) -> ColumnSet | None:
    """The strongest word on the columns of `edge.dst`, as written by `edge.src`."""
    if edge.columns is None:
        return None
    kinds = {c.kind for c in edge.columns}
    for kind in (JOB_LINEAGE, LINEAGE, COLUMNS):
        if kind in kinds:
            columns = reported_columns(state, edge, kind, when)
            if columns is not None:
                return columns
    return None


class Flow:
    """One job's inputs and outputs and what flows between them."""

    __slots__ = ("_columns", "_explained", "_explicit", "_from", "_to", "inputs", "job", "outputs")

    def __init__(self, state: State, job: Job, when: When) -> None:
        canonical = state.aliases.canonical
        self.job = job
        self.inputs = [e for e in job.into if when.alive(state, e)]
        self.outputs = [e for e in job.out if when.alive(state, e)]
        self._from = [canonical(e.src) for e in self.inputs]
        self._explicit: dict[Node, set[Node]] = {}  # by edge.dst
        self._columns: dict[Node, set[Node]] = {}
        for edge in self.outputs:
            explicit = self._explicit_sources(state, edge, when)
            if explicit is not None:
                self._explicit[edge.dst] = {canonical(n) for n in explicit}
            elif edge.columns is not None:
                columns = reported_columns(state, edge, COLUMNS, when)
                if columns is not None and columns.sources:
                    self._columns[edge.dst] = {canonical(n) for n in columns.sources}
        self._to = [e.dst for e in self.outputs]
        self._explained = set().union(*self._columns.values()) if len(self._columns) > 1 else set()

    @staticmethod
    def _explicit_sources(state: State, edge: Edge, when: When) -> tuple[Node, ...] | None:
        by_job = state.job_of(edge.src).declared
        if by_job is not None and state.gone and stamp_time(by_job.stamp) <= when.deleted(state, edge.src, edge.dst):
            by_job = None
        if by_job is not None and edge.dst in by_job.targets:
            return by_job.targets[edge.dst]
        if edge.columns is None:
            return None
        declared = reported_columns(state, edge, LINEAGE, when)
        return declared.sources if declared is not None else None

    def sources(self, output: Edge) -> list[Edge]:
        """The input edges that reach an output."""
        return [e for e, node in zip(self.inputs, self._from, strict=True) if self.reaches(node, output.dst)]

    def targets(self, source: Node) -> list[Edge]:
        """The output edges that an input (by its canonical node) reaches."""
        return [e for e in self.outputs if self.reaches(source, e.dst)]

    def is_like(self, other: "Flow") -> bool:
        """Whether the same flows from the same inputs to the same outputs."""
        return (self._from, self._to, self._explicit, self._columns) == (
            other._from,
            other._to,
            other._explicit,
            other._columns,
        )

    def reaches(self, source: Node, output: Node) -> bool:
        explicit = self._explicit.get(output)
        if explicit is not None:
            return source in explicit
        if not self._explained:
            return True
        columns = self._columns.get(output)
        return columns is None or source in columns or source not in self._explained
