"""A store and a state made from events, and what can be seen in them."""

import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from headwater.answers.render import Renderer
from headwater.facet_contents import Contents
from headwater.graph.columns import column_lineage, columns_of
from headwater.graph.slices import finish
from headwater.graph.traverse import CONNECTED, Subgraph, neighbourhood
from headwater.graph.when import When
from headwater.ids import Node, RunId
from headwater.ingest.folding import Record, fold, recover
from headwater.interpret.known_facets import KnownFacets
from headwater.model.edits import Edit
from headwater.model.entities import Dataset, Edge, Job, Registers, Run
from headwater.openlineage.event import decode
from headwater.openlineage.timestamps import now
from headwater.store.sqlite.log import SqliteLog
from headwater.store.sqlite.tables import SqliteTables
from tests.support.make import encoded

_open: "list[World]" = []


def close_all() -> None:
    """Called after every test."""
    while _open:
        _open.pop().close()


EventOrEdit = dict[str, Any] | bytes | Edit
"""An event as a dictionary or text, or an edit."""


def record(event: EventOrEdit) -> Record:
    """What goes into the log."""
    if isinstance(event, Edit):
        return event
    return decode(event if isinstance(event, bytes) else encoded(event))


class World:
    """Events appended to a real log in a temporary folder, and folded."""

    def __init__(self, events: Iterable[EventOrEdit]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="headwater-test-")
        self.log = SqliteLog(Path(self._folder.name))
        self.tables = SqliteTables(Path(self._folder.name))
        self.known = KnownFacets()
        records = [record(event) for event in events]
        _open.append(self)
        self.append(records)

    def append(self, events: Sequence[Record]) -> None:
        self.log.append(events, now())
        self.state = recover(self.log, self.tables)
        self.contents = Contents(self.log)
        self.renderer = Renderer(self.state, self.contents)

    def ingest(self, event: EventOrEdit) -> None:
        """One more event, as a running server ingests it."""
        new = record(event)
        (appended,) = self.log.append([new], now())
        if not appended.duplicate:
            fold(self.state, self.tables, [(appended.position, new)], self.known)

    def close(self) -> None:
        self.log.close()
        self.tables.close()
        self._folder.cleanup()

    # Names

    def name(self, node: Node) -> str:
        """`orders` for datasets of `db`, `load()` for jobs of `jobs`; others with namespace."""
        entity = self.state.nodes[node]
        usual, form = ("jobs", "{}()") if isinstance(entity, Job) else ("db", "{}")
        text = entity.name if entity.namespace == usual else f"{entity.namespace} {entity.name}"
        return form.format(text)

    def node(self, name: str) -> Node:
        for node, _ in enumerate(self.state.nodes):
            if self.name(Node(node)) == name:
                return Node(node)
        raise KeyError(name)

    def dataset(self, name: str) -> Any:
        """A dataset as the API shows it."""
        return msgspec.json.decode(msgspec.json.encode(self.renderer.datasets.dataset(self._canonical(name), None)))

    def job(self, name: str) -> Any:
        node = self.node(name)
        shown = self.renderer.jobs.job(node)
        shown.latestRun = self.renderer.jobs.latest_run(self.state.job_of(node))
        return msgspec.json.decode(msgspec.json.encode(shown))

    def _canonical(self, name: str) -> Node:
        return self.state.aliases.canonical(self.node(name))

    def run(self, run_id: str = "run-1") -> Run:
        return self.tables.runs([RunId(run_id)])[0]

    # Graphs

    def lineage(self, name: str, direction: str = CONNECTED, depth: int = 20, when: When | None = None) -> set[str]:
        """Edges as `orders → load()`."""
        return self._edges(finish(neighbourhood(self.state, self.node(name), depth, direction, when)))

    def _edges(self, graph: Subgraph) -> set[str]:
        return {f"{self.name(src)} → {self.name(dst)}" for src, dst in graph.edges}

    def nodes(self, name: str, direction: str, depth: int = 20, when: When | None = None) -> set[str]:
        graph = finish(neighbourhood(self.state, self.node(name), depth, direction, when))
        return {self.name(node) for node in graph.nodes}

    def all_edges(self) -> set[str]:
        canonical = self.state.aliases.canonical
        return {
            f"{self.name(canonical(e.src))} → {self.name(canonical(e.dst))}"
            for e in self.state.edges.values()
            if e.src != e.dst
        }

    def columns(self, name: str, *, down: bool = False, depth: int = 20, when: When | None = None) -> set[str]:
        """Column edges as `orders.price → totals.total`; `name` a dataset or `dataset.column`."""
        try:
            start = finish(columns_of(self.state, self.contents, self._canonical(name), when))
        except KeyError:
            table, _, column = name.rpartition(".")
            start = [(self._canonical(table), column)]
        graph = finish(column_lineage(self.state, self.contents, start, depth, up=not down, down=down, when=when))
        return {f"{self.name(e.src[0])}.{e.src[1]} → {self.name(e.dst[0])}.{e.dst[1]}" for e in graph.edges}

    # Everything, by names and not by numbers

    def dump(self) -> dict[str, Any]:
        state = self.state
        runs = [
            run
            for names in state.jobs.values()
            for node in names.values()
            for run in self.tables.runs_of_job(node, 10_000, 0)
        ]
        return {
            "namespaces": {n: (s.first, s.last) for n, s in state.namespaces.items()},
            "sources": {n: (s.uri, s.stamp, s.first, s.last) for n, s in state.sources.items()},
            "jobs": {self.name(j.node): self._job(j) for j in state.nodes if isinstance(j, Job)},
            "datasets": {self.name(d.node): self._dataset(d) for d in state.nodes if isinstance(d, Dataset)},
            "edges": {f"{self.name(e.src)} → {self.name(e.dst)}": self._edge(e) for e in state.edges.values()},
            "groups": {tuple(map(self.name, g.members)) for g in state.aliases.groups()},
            "runs": {run.id: self._run(run) for run in runs},
            "counts": state.counts,
            "edited": self._edited(),
        }

    def _edited(self) -> dict[str, Any]:
        state, edited = self.state, self.state.edited
        names = {number: self.name(Node(number)) for number in range(len(state.nodes))}
        return {
            "registers": [edited.namespaces, edited.sources, edited.tags, edited.tagged, edited.deleted, edited.count],
            "gone": {names[node]: times for node, times in state.gone.items()},
            "hidden": {name for node, name in names.items() if state.is_hidden(Node(node))},
            "hidden namespaces": {name for name in state.namespaces if state.is_namespace_hidden(name)},
            "gone edges": {
                f"{names[edge.src]} → {names[edge.dst]}" for edge in state.edges.values() if state.is_gone(edge)
            },
        }

    def _facets(self, entity: Job | Dataset) -> dict[str, Any]:
        """All values that a facet ever had, with the present one marked by the name alone."""
        values: dict[str, Any] = {name: register[1:] for name, register in entity.facets.items()}
        past = [*self.tables.past_facets(entity.node), *entity.facets.items()]
        for name, (first, last, content) in past:
            key = f"{name} {content}"
            span = values.get(key, (first, last))
            values[key] = (min(first, span[0]), max(last, span[1]))
        return values

    def _job(self, job: Job) -> Any:
        declared = job.declared
        return {
            "seen": (job.first, job.last),
            "facets": self._facets(job),
            "parent": job.parent and (job.parent[0], self.name(job.parent[1])),
            "declared": declared
            and (
                declared.stamp,
                declared.content,
                {self.name(t): set(map(self.name, s)) for t, s in declared.targets.items()},
            ),
            "latest": job.latest.id if job.latest else None,
            "runs": job.runs,
        }

    def _dataset(self, d: Dataset) -> Any:
        return {
            "seen": (d.first, d.last),
            "facets": self._facets(d),
            "symlinks": set(map(self.name, d.symlinks)),
            "renamed": d.renamed and (d.renamed[0], self.name(d.renamed[1])),
            "lifecycle": d.lifecycle
            and (
                d.lifecycle.stamp,
                d.lifecycle.state,
                None if d.lifecycle.job is None else self.name(d.lifecycle.job),
            ),
            "declared": d.declared,
            "versions": {
                (v.uuid, v.version, v.schema, v.first, v.last, v.written)
                for v in self.tables.versions([d.node], 1000, 0)
            },
        }

    def _edge(self, e: Edge) -> Any:
        sets = {(s.kind, s.content, s.first, s.last, frozenset(map(self.name, s.sources))) for s in e.columns or ()}
        return e.first, e.last, tuple(e.spans or ()), sets

    def _run(self, run: Run) -> Any:
        return {
            "job": self.name(run.job),
            "times": (run.first, run.last, run.started, run.ended, run.active),
            "above": (run.parent, run.root),
            "nominal": run.nominal,
            "facets": _present(run.facets),
            "uses": {
                (self.name(Node(key >> 1)), key & 1): (use.first, use.last, _present(use.facets), use.versions)
                for key, use in run.uses.items()
            },
        }


def _present(facets: Registers) -> dict[str, Any]:
    """Since when a facet of a run has its value is never shown, so only the rest is compared."""
    return {name: register[1:] for name, register in facets.items()}


def orders_of(events: Sequence[Any]) -> Iterator[list[Any]]:
    """The events as they are, backwards, shuffled, and each twice."""
    yield list(events)
    yield list(reversed(events))
    for seed in range(3):
        shuffled = list(events)
        random.Random(seed).shuffle(shuffled)
        yield shuffled
    yield [*events, *events]


def one_world(events: Sequence[Any]) -> World:
    """The world of these events, after making sure that neither order nor repetition matters,
    and that the tables alone give the same."""
    expected: dict[str, Any] | None = None
    first: World | None = None
    for order in orders_of(events):
        world = World(order)
        folded = world.dump()
        world.state = world.tables.load()
        assert world.dump() == folded, "what is loaded from the tables differs from what was folded"
        if expected is None or first is None:
            expected, first = folded, world
        else:
            assert folded == expected, "the order of arrival changed the outcome"
    assert first is not None
    first.renderer = Renderer(first.state, first.contents)
    return first
