"""State ↔ rows of the derived tables."""

from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from headwater.ids import ContentId, Micros, Node, RunId, Stamp
from headwater.model.entities import (
    ColumnSet,
    Dataset,
    Declared,
    Edge,
    Job,
    Lifecycle,
    Registers,
    Run,
    Use,
    edge_key,
)
from headwater.model.state import Namespace, Source, State
from headwater.model.versions import Version
from headwater.store import edit_rows

Row = tuple[Any, ...]


class Rows(msgspec.Struct):
    """One write to the tables: rows for each of them, and versions that no longer count."""

    upserts: dict[str, list[Row]]
    versions_gone: list[bytes]

    def __bool__(self) -> bool:
        return bool(self.versions_gone) or any(self.upserts.values())


class StoredRun(NamedTuple):
    """A row of the table of runs; as long as it is the same, so is the run, except for what it used."""

    row: int
    id: RunId
    job: Node
    started: Micros
    version: int | None
    packed: bytes  # see `_PackedRun`


class _PackedRun(msgspec.Struct, array_like=True, gc=False):
    """A run without its uses, as one packed column: no query needs its parts separately."""

    first: Stamp | None
    last: Stamp
    started: Micros | None
    active: bool
    ended: Stamp | None
    parent: tuple[Stamp, RunId] | None
    root: tuple[Stamp, RunId] | None
    nominal: tuple[Stamp, Micros | None, Micros | None] | None
    facets: Registers


_Versions = list[tuple[str, int, Micros, Micros]]
_Declared = tuple[Stamp, ContentId, dict[Node, tuple[Node, ...]]]

_pack = msgspec.msgpack.Encoder().encode
_registers = msgspec.msgpack.Decoder(Registers)
_nodes = msgspec.msgpack.Decoder(tuple[Node, ...])
_stamped_node = msgspec.msgpack.Decoder(tuple[Stamp, Node])
_lifecycle = msgspec.msgpack.Decoder(tuple[Stamp, str, Node | None])
_declared = msgspec.msgpack.Decoder(_Declared)
_spans = msgspec.msgpack.Decoder(list[Micros])
_run = msgspec.msgpack.Decoder(_PackedRun)
_versions = msgspec.msgpack.Decoder(_Versions)


def take(state: State) -> Rows:
    """The rows for all that is dirty; nothing is dirty afterwards."""
    dirty, state.dirty = state.dirty, type(state.dirty)()
    state.dirty.latest_unsure = dirty.latest_unsure
    upserts: dict[str, list[Row]] = {
        "namespaces": [(n, ns.first, ns.last) for n in dirty.namespaces for ns in [state.namespaces[n]]],
        "sources": [(s.name, s.uri, s.stamp, s.first, s.last) for n in dirty.sources for s in [state.sources[n]]],
        "jobs": [_job_row(n) for node in dirty.nodes if isinstance(n := state.nodes[node], Job)],
        "datasets": [_dataset_row(n) for node in dirty.nodes if isinstance(n := state.nodes[node], Dataset)],
        "edges": [_edge_row(state.edges[key]) for key in dirty.edges],
        "column_sets": [
            (key >> 32, key & 0xFFFFFFFF, kind, content, s.first, s.last, _pack(s.sources))
            for (key, kind, content), s in dirty.column_sets.items()
        ],
        "past_facets": [(node, name, content, first, last) for node, name, (first, last, content) in dirty.past_facets],
        "runs": [_run_row(state, run) for run in dirty.runs.values()],
        "uses": [_use_row(dirty.runs[run_id], key) for run_id, key in dirty.uses],
        "dataset_versions": [
            (v.uuid, v.dataset, v.version, v.schema, v.first, v.last, v.run, v.written) for v in dirty.versions.values()
        ],
        "events": list(dirty.events),
        "event_counts": [(key >> 3, key & 7, state.counts[key]) for key in dirty.counts],
        "edits": list(dirty.edits),
        "edited": edit_rows.take(state.edited),
    }
    return Rows(upserts, list(dirty.versions_gone - dirty.versions.keys()))


def _job_row(job: Job) -> Row:
    declared = job.declared
    return (
        job.node,
        job.namespace,
        job.name,
        job.first,
        job.last,
        _pack(job.facets),
        _pack(job.parent) if job.parent else None,
        _pack((declared.stamp, declared.content, declared.targets)) if declared else None,
        job.latest.row if job.latest else None,
        job.runs,
        job.named,
    )


def _dataset_row(d: Dataset) -> Row:
    life = d.lifecycle
    return (
        d.node,
        d.namespace,
        d.name,
        d.first,
        d.last,
        _pack(d.facets),
        _pack(d.symlinks) if d.symlinks else None,
        _pack(d.renamed) if d.renamed else None,
        _pack((life.stamp, life.state, life.job)) if life else None,
        d.declared,
    )


def _edge_row(edge: Edge) -> Row:
    return (edge.src, edge.dst, edge.first, edge.last, _pack(edge.spans) if edge.spans else None)


def _run_row(state: State, run: Run) -> Row:
    packed = _PackedRun(
        run.first,
        run.last,
        run.started,
        run.active,
        run.ended,
        run.parent,
        run.root,
        run.nominal,
        run.facets,
    )
    return (run.row, run.id, run.job, run.order[0], job_version(state, run), _pack(packed))


def job_version(state: State, run: Run) -> int | None:
    """Runs that read and wrote the same datasets ran the same version of their job."""
    if not run.uses:
        return None
    names = []
    for key in run.uses:
        dataset = state.dataset_of(Node(key >> 1))
        names.append(f"{key & 1}\0{dataset.namespace}\0{dataset.name}")
    text = "\0".join(sorted(names)).encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big", signed=True)


def _use_row(run: Run, key: int) -> Row:
    use = run.uses[key]
    versions: _Versions = [(v, s, first, last) for (v, s), (first, last) in use.versions.items()]
    return (run.row, key >> 1, key & 1, use.first, use.last, _pack(use.facets), _pack(versions))


def job_from(row: Row) -> Job:
    node, namespace, name, first, last, facets, parent, declared, _, runs, named = row
    job = Job(node, namespace, name, first, last, _registers.decode(facets), runs=runs, named=named)
    if parent is not None:
        job.parent = _stamped_node.decode(parent)
    if declared is not None:
        job.declared = Declared(*_declared.decode(declared))
    return job


def dataset_from(row: Row) -> Dataset:
    node, namespace, name, first, last, facets, aliases, renamed, lifecycle, declared = row
    dataset = Dataset(node, namespace, name, first, last, _registers.decode(facets))
    if aliases is not None:
        dataset.symlinks = _nodes.decode(aliases)
    if renamed is not None:
        dataset.renamed = _stamped_node.decode(renamed)
    if lifecycle is not None:
        dataset.lifecycle = Lifecycle(*_lifecycle.decode(lifecycle))
    dataset.declared = declared
    return dataset


def edge_from(row: Row) -> Edge:
    src, dst, first, last, spans = row
    return Edge(src, dst, first, last, _spans.decode(spans) if spans else None)


def column_set_from(row: Row) -> tuple[int, ColumnSet]:
    src, dst, kind, content, first, last, sources = row
    return edge_key(src, dst), ColumnSet(kind, content, first, last, _nodes.decode(sources))


def run_from(row: Row, uses: list[Row]) -> Run:
    number, run_id, job, _, _, packed = row
    t = _run.decode(packed)
    run = Run(number, run_id, job, t.first, t.last, t.started, t.active, t.ended, t.parent, t.root, t.nominal, t.facets)
    for _, dataset, output, first, last, facets, versions in uses:
        run.uses[dataset << 1 | output] = Use(
            first,
            last,
            _registers.decode(facets),
            {(v, s): (f, e) for v, s, f, e in _versions.decode(versions)},
        )
    return run


def version_from(row: Row) -> Version:
    return Version(*row)


def source_from(row: Row) -> Source:
    return Source(*row)


def namespace_from(row: Row) -> Namespace:
    return Namespace(*row)
