"""The fold: all that is known, and `apply`, which adds what one change says.

No IO here. Runs are too many to keep, so `State` holds those in use; whoever applies
changes first gives it the runs that the changes touch (`State.adopt`).
"""

from collections.abc import Iterable
from typing import Any, TypeVar, assert_never

import msgspec

from headwater.ids import ContentId, Micros, Node, Position, RunId, Stamp
from headwater.model import changes as c
from headwater.model import spans
from headwater.model.aliases import Aliases
from headwater.model.entities import (
    INPUT,
    MAX_COLUMN_SETS,
    OUTPUT,
    ColumnSet,
    Dataset,
    Declared,
    Edge,
    Job,
    Lifecycle,
    Register,
    Run,
    Use,
    edge_key,
    put,
    use_key,
)
from headwater.model.versions import Version, version_uuid
from headwater.openlineage.event import TERMINAL, EventType, stamp_time

# Runs that are kept after they were written to the tables: those that events and lists ask
# for again soon.
RUNS_KEPT = 20_000


class Source(msgspec.Struct, gc=False):
    name: str
    uri: str
    stamp: Stamp
    first: Micros
    last: Micros


class Namespace(msgspec.Struct, gc=False):
    name: str
    first: Micros
    last: Micros


class Dirty:
    """What the tables do not have yet."""

    def __init__(self) -> None:
        self.nodes: set[Node] = set()  # jobs and datasets
        self.edges: set[int] = set()
        self.column_sets: dict[tuple[int, str, ContentId], ColumnSet] = {}
        self.runs: dict[RunId, Run] = {}
        self.uses: set[tuple[RunId, int]] = set()
        self.versions: dict[bytes, Version] = {}
        self.versions_gone: set[bytes] = set()
        self.past_facets: list[tuple[Node, str, Register]] = []
        self.sources: set[str] = set()
        self.namespaces: set[str] = set()
        self.latest_unsure: set[Node] = set()  # jobs whose latest run only the tables can tell
        self.events: list[tuple[Position, Micros, int, int | None, Node | None]] = []


class State:
    def __init__(self) -> None:
        self.nodes: list[Job | Dataset] = []
        self.jobs: dict[str, dict[str, Node]] = {}
        self.datasets: dict[str, dict[str, Node]] = {}
        self.namespaces: dict[str, Namespace] = {}
        self.edges: dict[int, Edge] = {}
        self.runs: dict[RunId, Run] = {}
        self.sources: dict[str, Source] = {}
        self.aliases = Aliases(self.dataset_of, self._names_changed)
        self.next_run = 1
        self.position = Position(0)
        self.dirty = Dirty()

    # Looking things up

    def job_of(self, node: Node) -> Job:
        found = self.nodes[node]
        assert isinstance(found, Job)
        return found

    def dataset_of(self, node: Node) -> Dataset:
        found = self.nodes[node]
        assert isinstance(found, Dataset)
        return found

    def find_job(self, namespace: str, name: str) -> Job | None:
        node = self.jobs.get(namespace, {}).get(name)
        return None if node is None else self.job_of(node)

    def find_dataset(self, namespace: str, name: str) -> Dataset | None:
        """The dataset itself, not the one that it may be an alias of."""
        node = self.datasets.get(namespace, {}).get(name)
        return None if node is None else self.dataset_of(node)

    def mark(self, node: Node) -> None:
        """A job or dataset has changed: the tables need it, and what was made of it is stale."""
        self.dirty.nodes.add(node)
        self._outdate(node)

    def _outdate(self, node: Node) -> None:
        self.nodes[node].revision += 1
        shown = self.aliases.canonical(node)
        if shown != node:  # what is shown of a dataset comes from all its names
            self.nodes[shown].revision += 1

    def _names_changed(self, node: Node) -> None:
        """A dataset goes by another name now, which shows at the jobs and columns around it."""
        self._outdate(node)
        for edge in (*self.nodes[node].into, *self.nodes[node].out):
            for end in (edge.src, edge.dst):
                self._outdate(end)
                for beyond in self.nodes[end].out:
                    self._outdate(beyond.dst)

    # Folding

    def apply_event(
        self, position: Position, time: Micros, kind: EventType, all_changes: Iterable[c.AnyChange]
    ) -> None:
        """Applies one event's changes and notes where the event stands."""
        run: Run | None = None
        job: Node | None = None
        for change in all_changes:
            self.apply(change)
            if isinstance(change, c.RunSeen):
                run = self.runs[change.run]
            elif isinstance(change, c.JobSeen) and job is None:
                job = self.jobs[change.job[0]][change.job[1]]
        self.position = position
        self.dirty.events.append((position, time, kind, run.row if run else None, job))

    def apply(self, change: c.AnyChange) -> None:
        match change:
            case c.EdgeSeen():
                self._see_edge(self._ref(change.src, change.at), self._ref(change.dst, change.at), change.at)
            case c.DatasetSeen():
                self._dataset_seen(change)
            case c.DatasetUsed():
                self._dataset_used(change)
            case c.RunSeen():
                self._run_seen(change)
            case c.JobSeen():
                self._job_seen(change)
            case c.SourceSeen():
                self._source_seen(change)
            case c.ColumnsTold():
                self._columns_told(change)
            case c.RunNamed():
                self._run_named(change)
            case c.LineageDeclared():
                self._lineage_declared(change)
            case c.AliasesTold():
                self._aliases_told(change)
            case c.LifecycleTold():
                self._lifecycle_told(change)
            case _:
                assert_never(change)

    def adopt(self, run: Run) -> None:
        """Takes in a run from the tables."""
        self.runs[run.id] = run

    def release_runs(self) -> None:
        """Lets go of old runs; call it when nothing is dirty."""
        surplus = len(self.runs) - RUNS_KEPT
        if surplus > 0:
            for run_id in list(self.runs)[:surplus]:
                del self.runs[run_id]

    # The entities, made when first named

    def _job(self, name: c.Name, at: Micros) -> Job:
        names = self.jobs.setdefault(name[0], {})
        node = names.get(name[1])
        if node is None:
            node = names[name[1]] = Node(len(self.nodes))
            job = Job(node, name[0], name[1], at, at)
            self.nodes.append(job)
            self.mark(node)
            self._see_namespace(name[0], at)
            return job
        job = self.job_of(node)
        if not job.first <= at <= job.last:
            job.first, job.last = min(job.first, at), max(job.last, at)
            self.mark(node)
            self._see_namespace(name[0], at)
        return job

    def _dataset(self, name: c.Name, at: Micros | None) -> Dataset:
        names = self.datasets.setdefault(name[0], {})
        node = names.get(name[1])
        if node is None:
            node = names[name[1]] = Node(len(self.nodes))
            dataset = Dataset(node, name[0], name[1])
            self.nodes.append(dataset)
            self.mark(node)
            self.aliases.added(dataset)
        else:
            dataset = self.dataset_of(node)
        if at is not None:
            if dataset.first is None:
                dataset.first = dataset.last = at
                self.mark(node)
                self._see_namespace(name[0], at)
                self.aliases.seen(dataset)
            elif not dataset.first <= at <= dataset.last:
                if at < dataset.first:
                    dataset.first = at
                    self.aliases.seen(dataset)
                dataset.last = max(dataset.last, at)
                self.mark(node)
                self._see_namespace(name[0], at)
        return dataset

    def _see_namespace(self, name: str, at: Micros) -> None:
        known = self.namespaces.get(name)
        if known is None:
            self.namespaces[name] = Namespace(name, at, at)
        elif known.first <= at <= known.last:
            return
        else:
            known.first, known.last = min(known.first, at), max(known.last, at)
        self.dirty.namespaces.add(name)

    def _ref(self, ref: c.Ref, at: Micros) -> Node:
        kind, namespace, name = ref
        if kind == "job":
            return self._job((namespace, name), at).node
        return self._dataset((namespace, name), at).node

    def _later_node(self, held: tuple[Stamp, Node] | None, stamp: Stamp, node: Node) -> tuple[Stamp, Node]:
        """The register that wins. Node numbers follow arrival, so names break a tie."""
        if held is None:
            return stamp, node
        return max(held, (stamp, node), key=lambda r: (r[0], self.nodes[r[1]].namespace, self.nodes[r[1]].name))

    def _run(self, run_id: RunId, job: Node) -> Run:
        run = self.runs.get(run_id)
        if run is None:
            run = self.runs[run_id] = Run(self.next_run, run_id, job)
            self.next_run += 1
            self.dirty.runs[run_id] = run
        return run

    # One method for each kind of change

    def _job_seen(self, change: c.JobSeen) -> None:
        at = stamp_time(change.stamp)
        job = self._job(change.job, at)
        self._put_facets(job, change.stamp, change.facets)
        if change.parent is not None:
            job.parent = self._later_node(job.parent, change.stamp, self._job(change.parent, at).node)
        self.mark(job.node)

    def _run_seen(self, change: c.RunSeen) -> None:
        job = self.jobs[change.job[0]][change.job[1]]
        stamp, at = change.stamp, stamp_time(change.stamp)
        run = self._run(change.run, job)
        before = run.job, run.order
        # A run belongs to the job of its first event; a parent facet only guesses.
        if run.first is None or (stamp, change.job) < (run.first, self._job_name(run)):
            run.first, run.job = stamp, job
        run.last = max(run.last, stamp)
        if change.kind is EventType.START:
            run.started = at if run.started is None else min(run.started, at)
        if change.kind in (EventType.START, EventType.RUNNING):
            run.active = True
        elif change.kind in TERMINAL:
            run.ended = stamp if run.ended is None else max(run.ended, stamp)
        for name, content in change.facets.items():
            put(run.facets, name, stamp, content)
        if change.parent is not None:
            run.parent = _later(run.parent, (stamp, change.parent))
        if change.root is not None:
            run.root = _later(run.root, (stamp, change.root))
        if change.nominal is not None:
            run.nominal = _later(run.nominal, (stamp, *change.nominal))
        self.dirty.runs[run.id] = run
        self._note_latest(run, *before)

    def _run_named(self, change: c.RunNamed) -> None:
        job = self.jobs[change.job[0]][change.job[1]]
        run = self._run(change.run, job)
        if run.first is None and change.job < self._job_name(run):
            run.job = job
            self.dirty.runs[run.id] = run

    def _job_name(self, run: Run) -> c.Name:
        job = self.job_of(run.job)
        return job.namespace, job.name

    def _note_latest(self, run: Run, old_job: Node, old_order: tuple[Micros, RunId]) -> None:
        job = self.job_of(run.job)
        self.mark(run.job)
        if job.latest is None or run.order > job.latest.order:
            job.latest = run
        elif job.latest.id == run.id:
            job.latest = run
            if run.order < old_order:
                self.dirty.latest_unsure.add(run.job)
        if old_job != run.job:
            left = self.job_of(old_job)
            if left.latest is not None and left.latest.id == run.id:
                left.latest = None
                self.mark(old_job)
                self.dirty.latest_unsure.add(old_job)

    def _dataset_seen(self, change: c.DatasetSeen) -> None:
        at = stamp_time(change.stamp)
        dataset = self._dataset(change.dataset, at)
        self._put_facets(dataset, change.stamp, change.facets)
        if change.declared and (dataset.declared is None or dataset.declared < at):
            dataset.declared = at
        self.mark(dataset.node)

    def _put_facets(self, entity: Job | Dataset, stamp: Stamp, facets: dict[str, ContentId]) -> None:
        for name, content in facets.items():
            lost = put(entity.facets, name, stamp, content)
            if lost is not None:
                self.dirty.past_facets.append((entity.node, name, lost))

    def _source_seen(self, change: c.SourceSeen) -> None:
        at = stamp_time(change.stamp)
        source = self.sources.get(change.name)
        if source is None:
            self.sources[change.name] = Source(change.name, change.uri, change.stamp, at, at)
        else:
            if (change.stamp, change.uri) > (source.stamp, source.uri):
                source.stamp, source.uri = change.stamp, change.uri
            source.first, source.last = min(source.first, at), max(source.last, at)
        self.dirty.sources.add(change.name)

    def _see_edge(self, src: Node, dst: Node, at: Micros) -> Edge:
        key = edge_key(src, dst)
        edge = self.edges.get(key)
        if edge is None:
            edge = self.edges[key] = Edge(src, dst, at, at)
            self.nodes[src].out.append(edge)
            self.nodes[dst].into.append(edge)
            self._outdate(src)
            self._outdate(dst)
            self.dirty.edges.add(key)
        elif spans.see(edge, at):
            self.dirty.edges.add(key)
        return edge

    def _dataset_used(self, change: c.DatasetUsed) -> None:
        at = stamp_time(change.stamp)
        dataset = self._dataset(change.dataset, at)
        version, schema = change.version, change.schema
        if change.run is None:
            if schema or version:
                self._note_version(dataset, version, schema, at, at, None)
            return
        run = self.runs[change.run]
        key = use_key(dataset.node, OUTPUT if change.output else INPUT)
        use = run.uses.get(key)
        if use is None:
            use = run.uses[key] = Use(at, at)
        use.first, use.last = min(use.first, at), max(use.last, at)
        for name, content in change.facets.items():
            put(use.facets, name, change.stamp, content)
        seen = use.versions.get((version, schema), (at, at))
        use.versions[version, schema] = (min(seen[0], at), max(seen[1], at))
        if change.output:
            self._note_outputs(run, dataset, use)
        elif version:
            self._note_version(dataset, version, schema, at, at, None)
        self.dirty.uses.add((run.id, key))
        self.dirty.runs[run.id] = run

    def _note_outputs(self, run: Run, dataset: Dataset, use: Use) -> None:
        kept = {
            self._note_version(dataset, version, schema, first, last, run)
            for version, schema, first, last in use.told()
        }
        if len(use.versions) > len(kept):
            for version, schema in use.versions:
                uuid = version_uuid(dataset, version, ContentId(schema), run.id)
                if uuid not in kept:
                    self.dirty.versions.pop(uuid, None)
                    self.dirty.versions_gone.add(uuid)

    def _note_version(
        self,
        dataset: Dataset,
        version: str,
        schema: ContentId,
        first: Micros,
        last: Micros,
        run: Run | None,
    ) -> bytes:
        uuid = version_uuid(dataset, version, schema, run.id if run else None)
        told = Version(uuid, dataset.node, version, schema, first, last)
        if run is not None:
            told.run, told.written = run.row, first
        known = self.dirty.versions.setdefault(uuid, told)
        if known is not told:
            known.merge(told)
        return uuid

    def _columns_told(self, change: c.ColumnsTold) -> None:
        at = stamp_time(change.stamp)
        dataset = self._dataset(change.dataset, at).node
        producer = dataset if change.job is None else self._job(change.job, at).node
        edge = self._see_edge(producer, dataset, at)
        if edge.columns is None:
            edge.columns = []
        for known in edge.columns:
            if known.content == change.content and known.kind == change.kind:
                known.first = min(known.first, change.stamp)
                known.last = max(known.last, change.stamp)
                break
        else:
            sources = tuple(self._ref(ref, at) for ref in change.sources)
            known = ColumnSet(change.kind, change.content, change.stamp, change.stamp, sources)
            edge.columns.append(known)
            if len(edge.columns) > MAX_COLUMN_SETS:
                edge.columns.remove(min(edge.columns, key=lambda s: (s.last, s.content)))
        self._outdate(dataset)
        self.dirty.column_sets[edge.key, known.kind, known.content] = known

    def _lineage_declared(self, change: c.LineageDeclared) -> None:
        at = stamp_time(change.stamp)
        job = self._job(change.job, at)
        held = job.declared
        if held is None or (change.stamp, change.content) > (held.stamp, held.content):
            job.declared = Declared(
                change.stamp,
                change.content,
                {
                    self._ref(target, at): tuple(self._ref(source, at) for source in sources)
                    for target, sources in change.targets
                },
            )
            self.mark(job.node)

    def _aliases_told(self, change: c.AliasesTold) -> None:
        dataset = self.datasets[change.dataset[0]][change.dataset[1]]
        held = self.dataset_of(dataset).facets.get("symlinks")
        if held is not None and held[2] == change.content:
            targets = {self._dataset(alias, None).node for alias in change.aliases} - {dataset}
            self.aliases.set_symlinks(self.dataset_of(dataset), tuple(sorted(targets)))
            self.mark(dataset)

    def _lifecycle_told(self, change: c.LifecycleTold) -> None:
        at = stamp_time(change.stamp)
        dataset = self._dataset(change.dataset, at)
        job = None if change.job is None else self._job(change.job, at).node
        held = dataset.lifecycle
        if held is None or (change.stamp, change.state) > (held.stamp, held.state):
            dataset.lifecycle = Lifecycle(change.stamp, change.state, job)
            self.aliases.lifecycle_changed(dataset)
        if change.previous is not None:
            previous = self._dataset(change.previous, None).node
            dataset.renamed = self._later_node(dataset.renamed, change.stamp, previous)
            self.aliases.set_renamed(dataset, previous)
        self.mark(dataset.node)


_R = TypeVar("_R", bound=tuple[Any, ...])


def _later(held: _R | None, told: _R) -> _R:
    """The register that wins; None inside counts as smallest."""
    if held is None or told[0] > held[0]:
        return told
    return max(held, told, key=lambda r: tuple((part is not None, part) for part in r))
