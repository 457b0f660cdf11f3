"""A state as plain values, by names and not by numbers, so that two states can be compared."""

from typing import Any

from headwater.ids import Node
from headwater.model.entities import Dataset, Edge, Job
from headwater.model.state import State


def dump(state: State) -> dict[str, Any]:
    return {
        "position": state.position,
        "namespaces seen": {n: (s.first, s.last) for n, s in state.namespaces.items()},
        "sources seen": {n: (s.uri, s.stamp, s.first, s.last) for n, s in state.sources.items()},
        "jobs": {named(state, n.node): _job(state, n) for n in state.nodes if isinstance(n, Job)},
        "datasets": {named(state, n.node): _dataset(state, n) for n in state.nodes if isinstance(n, Dataset)},
        "edges": {(named(state, e.src), named(state, e.dst)): _edge(state, e) for e in state.edges.values()},
        "groups": {tuple(named(state, node) for node in group.members) for group in state.aliases.groups()},
        "counts": state.counts,
        "gone": {named(state, node): times for node, times in state.gone.items()},
        **{name: value for name, value in vars(state.edited).items() if name != "dirty"},
    }


def named(state: State, node: Node) -> tuple[str, str, str]:
    entity = state.nodes[node]
    return "job" if isinstance(entity, Job) else "dataset", entity.namespace, entity.name


def _job(state: State, job: Job) -> dict[str, Any]:
    declared, latest = job.declared, job.latest
    return {
        "seen": (job.first, job.last),
        "facets": job.facets,
        "parent": job.parent and (job.parent[0], named(state, job.parent[1])),
        "declared": declared
        and (
            declared.stamp,
            declared.content,
            {named(state, t): {named(state, s) for s in sources} for t, sources in declared.targets.items()},
        ),
        "latest": latest and (latest.id, latest.state, latest.order, latest.ended_at, latest.facets),
        **_ends(state, job),
    }


def _dataset(state: State, dataset: Dataset) -> dict[str, Any]:
    life = dataset.lifecycle
    return {
        "seen": (dataset.first, dataset.last),
        "facets": dataset.facets,
        "symlinks": {named(state, node) for node in dataset.symlinks},
        "renamed": dataset.renamed and (dataset.renamed[0], named(state, dataset.renamed[1])),
        "lifecycle": life and (life.stamp, life.state, None if life.job is None else named(state, life.job)),
        "declared": dataset.declared,
        "canonical": named(state, state.aliases.canonical(dataset.node)),
        **_ends(state, dataset),
    }


def _ends(state: State, entity: Job | Dataset) -> dict[str, Any]:
    return {
        "into": sorted(named(state, edge.src) for edge in entity.into),
        "out": sorted(named(state, edge.dst) for edge in entity.out),
    }


def _edge(state: State, edge: Edge) -> dict[str, Any]:
    return {
        "seen": (edge.first, edge.last),
        "spans": edge.spans,
        "columns": sorted(
            (s.kind, s.content, s.first, s.last, sorted(named(state, node) for node in s.sources))
            for s in edge.columns or ()
        ),
    }
