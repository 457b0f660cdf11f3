"""The state: everything that is known, by name and by node. What changes do to it is in `apply.py`.

No IO here. There are too many runs for memory, so `State` has those in use; before changes are
applied, the runs that they touch are loaded (`State.adopt`).
"""

from bisect import bisect_right
from itertools import islice

import msgspec

from headwater.ids import ContentId, Micros, Node, Position, RunId, Stamp
from headwater.model import changes as c
from headwater.model import spans
from headwater.model.aliases import Aliases
from headwater.model.edited import NEVER, Edited
from headwater.model.effects import Appeared, Effect, Linked, Overturned, Regrouped
from headwater.model.entities import (
    ColumnSet,
    Dataset,
    Edge,
    Job,
    Register,
    Run,
    edge_key,
)
from headwater.model.versions import Version

# Runs that stay in memory after they were written to the tables: events and lists soon need them again.
RUNS_IN_MEMORY = 20_000

# Events are counted by the quarter of an hour: no zone of the world has an odder offset.
QUARTER = Micros(15 * 60 * 1_000_000)


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
        self.latest_unsure: set[Node] = set()  # jobs whose latest run has to be looked up in the tables
        self.events: list[tuple[Position, Micros, int, int | None, Node | None]] = []
        self.edits: list[tuple[Position, int]] = []
        self.counts: set[int] = set()


class State:
    def __init__(self) -> None:
        self.nodes: list[Job | Dataset] = []
        self.jobs: dict[str, dict[str, Node]] = {}
        self.datasets: dict[str, dict[str, Node]] = {}
        self.namespaces: dict[str, Namespace] = {}
        self.edges: dict[int, Edge] = {}
        self.runs: dict[RunId, Run] = {}
        self.sources: dict[str, Source] = {}
        self.aliases = Aliases(self.dataset_of, self._renamed)
        self.next_run = 1
        self.releases = 0  # how often runs left memory
        self.position = Position(0)
        # Grows when there are other edges, names or columns than before: walks and answers
        # that are made in slices check whether they are still consistent.
        self.structure = 0
        self.counts: dict[int, int] = {}  # number of the quarter of an hour << 3 | event type
        self.edited = Edited()
        # When jobs and datasets were deleted, the last time last. Nearly always empty, which is
        # checked first.
        self.gone: dict[Node, tuple[Micros, ...]] = {}
        self.touched: set[Node] = set()  # what changed since a follower took it
        self._followers: list[set[Node]] = []
        self.touched_sources: set[str] = set()
        self.dirty = Dirty()
        self.effects: list[Effect] | None = None  # None while there is no subscriber

    # Looking things up

    def job_of(self, node: Node) -> Job:
        job = self.nodes[node]
        assert isinstance(job, Job)
        return job

    def dataset_of(self, node: Node) -> Dataset:
        dataset = self.nodes[node]
        assert isinstance(dataset, Dataset)
        return dataset

    def find_job(self, namespace: str, name: str) -> Job | None:
        node = self.jobs.get(namespace, {}).get(name)
        return None if node is None else self.job_of(node)

    def find_dataset(self, namespace: str, name: str) -> Dataset | None:
        """The dataset itself, not the one that it may be an alias of."""
        node = self.datasets.get(namespace, {}).get(name)
        return None if node is None else self.dataset_of(node)

    def mark(self, node: Node) -> None:
        """A job or dataset has changed: the tables need it, and what was made from it is stale."""
        self.dirty.nodes.add(node)
        self.outdate(node)

    def outdate(self, node: Node) -> None:
        self.nodes[node].revision += 1
        self.touched.add(node)
        group = self.aliases.grouped.get(node)
        if group is not None and group.canonical != node:  # what is shown comes from all names
            self.nodes[group.canonical].revision += 1

    def note_effect(self, effect: Effect) -> None:
        if self.effects is not None:
            self.effects.append(effect)

    def follow(self) -> set[Node]:
        """For caches of what was made from jobs and datasets as they are now: a set of its own, to be
        passed to `take_touched`. However many there are, an event costs the same."""
        followed: set[Node] = set()
        self.take_touched(followed)
        self._followers.append(followed)
        return followed

    def take_touched(self, followed: set[Node]) -> set[Node]:
        """What changed since this follower took the last."""
        touched, self.touched = self.touched, set()
        for follower in self._followers:
            follower |= touched
        taken = set(followed)
        followed.clear()
        return taken

    def _renamed(self, node: Node, before: Node) -> None:
        """A dataset goes by another name now."""
        self.note_effect(Regrouped(node, before))
        self._shown_otherwise(node)

    def _shown_otherwise(self, node: Node) -> None:
        """It goes by another name, or is deleted or back, which shows at the jobs and columns around it."""
        self.structure += 1
        self.outdate(node)
        for edge in (*self.nodes[node].into, *self.nodes[node].out):
            for end in (edge.src, edge.dst):
                self.outdate(end)
                for beyond in self.nodes[end].out:
                    self.outdate(beyond.dst)

    # What was deleted

    def deleted(self, node: Node, until: Micros | None = None) -> Micros:
        """When it was last deleted, up to a moment."""
        times = self.gone.get(node)
        if times is None:
            return NEVER
        if until is None:
            return times[-1]
        place = bisect_right(times, until)
        return times[place - 1] if place else NEVER

    def is_hidden(self, node: Node) -> bool:
        """Deleted, and under none of its names seen since."""
        if not self.gone:
            return False
        members = (self.nodes[member] for member in self.aliases.members(node))
        return all(m.first is None or m.last <= self.deleted(m.node) for m in members)

    def is_gone(self, edge: Edge) -> bool:
        """Not seen since one of its ends was deleted."""
        return bool(self.gone) and edge.last <= max(self.deleted(edge.src), self.deleted(edge.dst))

    def is_namespace_hidden(self, name: str) -> bool:
        times = self.edited.deleted.get(("namespace", name, ""))
        known = self.namespaces.get(name)
        return times is not None and (known is None or known.last <= times[-1])

    def note_deleted(self, entity: c.Ref) -> None:
        """Lays a deletion over the jobs and datasets that it is about."""
        kind, namespace, name = entity
        for kind_of, known in (("job", self.jobs), ("dataset", self.datasets)):
            names = known.get(namespace, {})
            if kind == "namespace":
                deleted = list(names.items())
            else:
                deleted = [(name, names[name])] if kind == kind_of and name in names else []
            for deleted_name, node in deleted:
                self.gone[node] = self.edited.deletions((kind_of, namespace, deleted_name))
                self.note_effect(Overturned())
                self._shown_otherwise(node)

    def _apply_deletions(self, kind: str, entity: Job | Dataset) -> None:
        """An entity may have been deleted before its first event arrived."""
        times = self.edited.deletions((kind, entity.namespace, entity.name))
        if times:
            self.gone[entity.node] = times

    def _note_return(self, entity: Job | Dataset, at: Micros) -> None:
        if entity.last <= self.deleted(entity.node) < at:
            self.note_effect(Overturned())

    # Counting

    def count_event(self, at: Micros, kind: int) -> None:
        key = at // QUARTER << 3 | kind
        self.counts[key] = self.counts.get(key, 0) + 1
        self.dirty.counts.add(key)

    # Runs in memory

    def adopt(self, run: Run) -> None:
        """Adds a run from the tables."""
        self.runs[run.id] = run

    def release_runs(self) -> None:
        """Drops old runs that the tables have. A job still has its latest one, but not
        what that used, which no answer about the job needs."""
        surplus = len(self.runs) - RUNS_IN_MEMORY
        if surplus > 0:
            self.releases += 1
            for run_id in [each for each in islice(self.runs, surplus) if each not in self.dirty.runs]:
                self.runs.pop(run_id).uses = {}

    # The entities, made when first named

    def ensure_job(self, name: c.Name, at: Micros) -> Job:
        names = self.jobs.setdefault(name[0], {})
        node = names.get(name[1])
        if node is None:
            node = names[name[1]] = Node(len(self.nodes))
            job = Job(node, name[0], name[1], at, at)
            self.nodes.append(job)
            if self.edited.deleted:
                self._apply_deletions("job", job)
            self.mark(node)
            self.note_effect(Appeared(node))
            self.see_namespace(name[0], at)
            return job
        job = self.job_of(node)
        if not job.first <= at <= job.last:
            if self.gone:
                self._note_return(job, at)
            job.first, job.last = min(job.first, at), max(job.last, at)
            self.mark(node)
            self.see_namespace(name[0], at)
        return job

    def ensure_dataset(self, name: c.Name, at: Micros | None) -> Dataset:
        """The dataset, made if it is new. `at` None: it was only named as an alias."""
        dataset = self.named_dataset(name)
        if at is not None and self.see_dataset(dataset, at):
            self.mark(dataset.node)
        return dataset

    def named_dataset(self, name: c.Name) -> Dataset:
        names = self.datasets.get(name[0])
        node = None if names is None else names.get(name[1])
        if node is not None:
            return self.nodes[node]  # type: ignore[return-value]
        node = self.datasets.setdefault(name[0], {})[name[1]] = Node(len(self.nodes))
        dataset = Dataset(node, name[0], name[1])
        self.nodes.append(dataset)
        if self.edited.deleted:
            self._apply_deletions("dataset", dataset)
        self.mark(node)
        self.aliases.added(dataset)
        return dataset

    def see_dataset(self, dataset: Dataset, at: Micros) -> bool:
        """Notes a sighting. False when that changes nothing; otherwise the caller marks the dataset."""
        first = dataset.first
        if first is not None and first <= at <= dataset.last:
            return False
        if self.gone:
            self._note_return(dataset, at)
        if first is None or at > dataset.last:
            dataset.last = at
        if first is None:
            self.note_effect(Appeared(dataset.node))
        if first is None or at < first:
            dataset.first = at
            self.aliases.seen(dataset)
        self.see_namespace(dataset.namespace, at)
        return True

    def see_namespace(self, name: str, at: Micros) -> None:
        known = self.namespaces.get(name)
        if known is None:
            self.namespaces[name] = Namespace(name, at, at)
        elif known.first <= at <= known.last:
            return
        else:
            known.first, known.last = min(known.first, at), max(known.last, at)
        self.dirty.namespaces.add(name)

    def ensure(self, ref: c.Ref, at: Micros) -> Node:
        kind, namespace, name = ref
        if kind == "job":
            return self.ensure_job((namespace, name), at).node
        return self.ensure_dataset((namespace, name), at).node

    def later_node(self, before: tuple[Stamp, Node] | None, stamp: Stamp, node: Node) -> tuple[Stamp, Node]:
        """The register that wins. Node numbers follow arrival, so names break a tie."""
        if before is None:
            return stamp, node
        return max(before, (stamp, node), key=lambda r: (r[0], self.nodes[r[1]].namespace, self.nodes[r[1]].name))

    def ensure_run(self, run_id: RunId, job: Node) -> Run:
        run = self.runs.get(run_id)
        if run is None:
            run = self.runs[run_id] = Run(self.next_run, run_id, job)
            self.next_run += 1
            self.dirty.runs[run_id] = run
        return run

    def see_edge(self, src: Node, dst: Node, at: Micros) -> Edge:
        key = edge_key(src, dst)
        edge = self.edges.get(key)
        if edge is None:
            edge = self.edges[key] = Edge(src, dst, at, at)
            self.nodes[src].out.append(edge)
            self.nodes[dst].into.append(edge)
            self.structure += 1
            self.outdate(src)
            self.outdate(dst)
            self.dirty.edges.add(key)
            self.note_effect(Linked(src, dst))
        elif not self.gone:
            if spans.see(edge, at):
                self.dirty.edges.add(key)
        else:
            gone = self.is_gone(edge)
            if spans.see(edge, at):
                self.dirty.edges.add(key)
                if gone and not self.is_gone(edge):  # it is back, and shows at both ends and beyond
                    self.note_effect(Overturned())
                    self._shown_otherwise(src)
                    self._shown_otherwise(dst)
        return edge
