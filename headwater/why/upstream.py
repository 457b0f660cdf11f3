"""What lies upstream of a question: the jobs and datasets to look at, the nearest first.

For a column only what feeds it is taken in, by column lineage; where a job says nothing about
a column, all its inputs count. Everything is copied out of the state, so that the rest of the
work can be done beside the event loop.
"""

from collections import deque
from collections.abc import Callable, Iterator

import msgspec

from headwater.graph.columns import ColumnWalk, Reader
from headwater.graph.flow import Flow
from headwater.graph.when import At
from headwater.ids import Micros, Node, dataset_node_id, job_node_id
from headwater.model.entities import Dataset, Job, Register
from headwater.model.state import State
from headwater.openlineage.event import stamp_time

# The nearest so many are looked at. Twenty runs are read of each job.
MOST_JOBS, MOST_DATASETS = 200, 1000

FACETS = ("schema", "schema@reader", "lifecycleStateChange")

Columns = set[str] | None
"""Columns of a dataset that matter; None where it is not known which, so all may."""


class JobAt(msgspec.Struct):
    node: Node
    id: str
    name: str
    kind: str  # BATCH, STREAM or SERVICE
    distance: int
    inputs: set[Node] = msgspec.field(default_factory=set)
    outputs: set[Node] = msgspec.field(default_factory=set)  # those on the way
    parent: Node | None = None


class NameAt(msgspec.Struct):
    """What was reported of a dataset under one of its names."""

    node: Node
    facets: dict[str, Register]
    dropped_by: Node | None  # the job that reported its lifecycle last
    read: dict[Node, Micros]  # by job, when it last did so under this name


class DatasetAt(msgspec.Struct):
    node: Node  # the canonical one
    id: str
    name: str
    distance: int
    columns: Columns
    names: list[NameAt]
    written: dict[Node | None, Micros]  # by job, when it was last known to; None: reported without a job


class Scope(msgspec.Struct):
    at: Micros
    jobs: dict[Node, JobAt] = msgspec.field(default_factory=dict)
    parents: dict[Node, JobAt] = msgspec.field(default_factory=dict)
    """Jobs that start jobs of the scope, such as applications and workflows."""
    datasets: dict[Node, DatasetAt] = msgspec.field(default_factory=dict)
    truncated: bool = False

    def above(self, node: Node) -> set[Node]:
        """All nodes of the scope upstream of one of them."""
        writers: dict[Node, list[Node]] = {}
        for writer in self.jobs.values():
            for output in writer.outputs:
                writers.setdefault(output, []).append(writer.node)
        above_it: set[Node] = set()
        frontier = [node]
        while frontier:
            here = frontier.pop()
            job = self.jobs.get(here)
            for other in {*job.inputs, job.parent} if job is not None else writers.get(here, ()):
                if other is not None and other not in above_it:
                    above_it.add(other)
                    frontier.append(other)
        return above_it - {node}


class Upstream:
    def __init__(
        self, state: State, reader: Reader, at: Micros, depth: int, kind_of: Callable[[Job], str], *, strict: bool
    ) -> None:
        """`strict`: only the columns of the query and what feeds them."""
        self.scope = Scope(at)
        self._state, self._depth, self._kind_of, self._strict = state, depth, kind_of, strict
        self._when = At(at)
        self._columns = ColumnWalk(state, reader, self._when)
        self._flows: dict[Node, Flow] = {}
        self._frontier: deque[tuple[Node, Columns]] = deque()

    def from_dataset(self, node: Node, columns: Columns) -> None:
        self._reach(self._state.aliases.canonical(node), columns, 0)

    def from_job(self, job: Job, inputs: set[Node] | None = None) -> None:
        """`inputs`: what is known to have been read; else all that the job reads."""
        job_at = self._add_job(job, 0)
        if job_at is not None:
            self._add_inputs(job_at, job, inputs)

    def walk(self) -> Iterator[None]:
        """Goes up, dataset by dataset, and stops in between for others to go on."""
        while self._frontier:
            node, columns = self._frontier.popleft()
            self._expand(node, columns)
            yield

    def _expand(self, dataset: Node, columns: Columns) -> None:
        state, distance = self._state, self.scope.datasets[dataset].distance + 1
        for member in state.aliases.members(dataset):
            for edge in state.nodes[member].into:
                if edge.src == edge.dst or not self._when.alive(state, edge):
                    continue
                if distance > self._depth:
                    return
                source = state.nodes[edge.src]
                if isinstance(source, Dataset):  # reported without a job
                    self._reach(state.aliases.canonical(source.node), None, distance)
                    continue
                job = self._add_job(source, distance)
                if job is not None:
                    job.outputs.add(dataset)
                    self._through(job, source, dataset, columns)

    def _through(self, job_at: JobAt, job: Job, dataset: Node, columns: Columns) -> None:
        """From a dataset through a job that writes it to what the job makes it from."""
        links = {
            column: [edge.src for edge in edges if job.node in edge.producers]
            for column, edges in self._columns.links(dataset).items()
        }
        reported = {column for column, sources in links.items() if sources}
        sources: dict[Node, Columns] = {}
        for column in reported if columns is None else reported & columns:
            for source, name in links[column]:
                columns_read = sources.setdefault(source, set())
                assert columns_read is not None
                columns_read.add(name)
        if not self._strict or columns is None or columns - reported:
            for source in self._inputs(job, dataset, job_at.distance + 1):
                # Nothing is known of the columns, or of those in the query.
                if not reported or (self._strict and columns is not None and columns - reported):
                    sources[source] = None
                else:
                    sources.setdefault(source, set())
        for source, columns_read in sources.items():
            job_at.inputs.add(source)
            self._reach(source, columns_read, job_at.distance)

    def _inputs(self, job: Job, dataset: Node, beyond: int) -> Iterator[Node]:
        """The datasets that reach an output; jobs that are named as its sources are taken in."""
        canonical = self._state.aliases.canonical
        flow = self._flow(job)
        for output in flow.outputs:
            if canonical(output.dst) == dataset:
                for edge in flow.sources(output):
                    source = self._state.nodes[edge.src]
                    if isinstance(source, Dataset):
                        yield canonical(edge.src)
                    else:
                        self._job_above(source, beyond)

    def _job_above(self, job: Job, distance: int) -> None:
        if distance <= self._depth and job.node not in self.scope.jobs:
            job_at = self._add_job(job, distance)
            if job_at is not None:
                self._add_inputs(job_at, job, None)

    def _add_inputs(self, job_at: JobAt, job: Job, inputs: set[Node] | None) -> None:
        if inputs is None:
            nodes = [self._state.nodes[edge.src] for edge in self._flow(job).inputs]
            inputs = {node.node for node in nodes if isinstance(node, Dataset)}
            for node in nodes:
                if isinstance(node, Job):
                    self._job_above(node, job_at.distance + 1)
        for source in sorted(map(self._state.aliases.canonical, inputs)):
            if self._when.hides(self._state, source):
                continue
            job_at.inputs.add(source)
            self._reach(source, None, job_at.distance)

    def _flow(self, job: Job) -> Flow:
        flow = self._flows.get(job.node)
        if flow is None:
            flow = self._flows[job.node] = Flow(self._state, job, self._when)
        return flow

    def _add_job(self, job: Job, distance: int) -> JobAt | None:
        jobs = self.scope.jobs
        job_at = jobs.get(job.node)
        if job_at is None:
            if len(jobs) >= MOST_JOBS:
                self.scope.truncated = True
                return None
            job_at = jobs[job.node] = self._job(job, distance)
            if job.parent is not None and not self._when.hides(self._state, job.parent[1]):
                job_at.parent = job.parent[1]
                self.scope.parents.setdefault(job_at.parent, self._job(self._state.job_of(job_at.parent), distance))
        return job_at

    def _job(self, job: Job, distance: int) -> JobAt:
        return JobAt(job.node, job_node_id(job.namespace, job.name), job.name, self._kind_of(job), distance)

    def _reach(self, dataset: Node, columns: Columns, distance: int) -> None:
        """Takes a dataset in, and its columns that matter; what is new of it goes on upward."""
        known = self.scope.datasets.get(dataset)
        if known is None:
            if len(self.scope.datasets) >= MOST_DATASETS:
                self.scope.truncated = True
                return
            self.scope.datasets[dataset] = self._dataset(dataset, columns, distance)
        elif known.columns is None:
            return
        elif columns is None:
            known.columns = None
        else:
            columns = columns - known.columns
            if not columns:
                return
            known.columns |= columns
        self._frontier.append((dataset, None if columns is None else set(columns)))

    def _dataset(self, node: Node, columns: Columns, distance: int) -> DatasetAt:
        at, entity, seen = self.scope.at, self._state.dataset_of(node), self._when.last_seen
        names: list[NameAt] = []
        written: dict[Node | None, Micros] = {}
        for member in map(self._state.dataset_of, self._state.aliases.members(node)):
            facets = {name: member.facets[name] for name in FACETS if name in member.facets}
            life = member.lifecycle
            by = life.job if life is not None and stamp_time(life.stamp) <= at else None
            reads = {edge.dst: last for edge in member.out if (last := seen(self._state, edge)) is not None}
            names.append(NameAt(member.node, facets, by, reads))
            if member.declared is not None and self._state.deleted(member.node, at) < member.declared <= at:
                written[None] = max(member.declared, written.get(None, member.declared))
            for edge in member.into:
                last = seen(self._state, edge)
                if last is not None and edge.src != edge.dst:
                    written[edge.src] = max(last, written.get(edge.src, last))
        node_id = dataset_node_id(entity.namespace, entity.name)
        return DatasetAt(
            node, node_id, entity.name, distance, None if columns is None else set(columns), names, written
        )
