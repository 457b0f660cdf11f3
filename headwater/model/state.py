"""The state: all that is known, found and made by name. What changes do to it is in `apply.py`.

No IO here. Runs are too many to keep, so `State` holds those in use; whoever applies
changes first gives it the runs that the changes touch (`State.adopt`).
"""

import msgspec

from headwater.ids import ContentId, Micros, Node, Position, RunId, Stamp
from headwater.model import changes as c
from headwater.model import spans
from headwater.model.aliases import Aliases
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
        # Grows when there are other edges, names or columns than before: long walks and answers
        # that are made in slices can tell whether they are still of one piece.
        self.structure = 0
        self.touched: set[Node] = set()  # what changed since whoever keeps lists looked
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
        self.outdate(node)

    def outdate(self, node: Node) -> None:
        self.nodes[node].revision += 1
        self.touched.add(node)
        shown = self.aliases.canonical(node)
        if shown != node:  # what is shown of a dataset comes from all its names
            self.nodes[shown].revision += 1

    def _names_changed(self, node: Node) -> None:
        """A dataset goes by another name now, which shows at the jobs and columns around it."""
        self.structure += 1
        self.outdate(node)
        for edge in (*self.nodes[node].into, *self.nodes[node].out):
            for end in (edge.src, edge.dst):
                self.outdate(end)
                for beyond in self.nodes[end].out:
                    self.outdate(beyond.dst)

    # Runs come and go

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

    def ensure_job(self, name: c.Name, at: Micros) -> Job:
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

    def ensure_dataset(self, name: c.Name, at: Micros | None) -> Dataset:
        """The dataset, made if it is new. `at` None: somebody only calls it an alias."""
        names = self.datasets.get(name[0])
        node = None if names is None else names.get(name[1])
        if node is None:
            node = self.datasets.setdefault(name[0], {})[name[1]] = Node(len(self.nodes))
            dataset = Dataset(node, name[0], name[1])
            self.nodes.append(dataset)
            self.mark(node)
            self.aliases.added(dataset)
        else:
            dataset = self.nodes[node]  # type: ignore[assignment]
        if at is None or (dataset.first is not None and dataset.first <= at <= dataset.last):
            return dataset
        dataset.last = at if dataset.first is None else max(dataset.last, at)
        if dataset.first is None or at < dataset.first:
            dataset.first = at
            self.aliases.seen(dataset)
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

    def ensure(self, ref: c.Ref, at: Micros) -> Node:
        kind, namespace, name = ref
        if kind == "job":
            return self.ensure_job((namespace, name), at).node
        return self.ensure_dataset((namespace, name), at).node

    def later_node(self, held: tuple[Stamp, Node] | None, stamp: Stamp, node: Node) -> tuple[Stamp, Node]:
        """The register that wins. Node numbers follow arrival, so names break a tie."""
        if held is None:
            return stamp, node
        return max(held, (stamp, node), key=lambda r: (r[0], self.nodes[r[1]].namespace, self.nodes[r[1]].name))

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
        elif spans.see(edge, at):
            self.dirty.edges.add(key)
        return edge
