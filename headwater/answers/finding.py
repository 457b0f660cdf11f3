"""Finding what a request names: jobs, datasets and columns, by path or by node id."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice

from headwater.errors import BadRequest, NotFound
from headwater.facet_contents import Contents
from headwater.graph.columns import Column, columns_of
from headwater.graph.slices import Slices
from headwater.graph.when import Always, When
from headwater.ids import Node, RunId, split_type, splits, type_dataset, type_field, type_job, type_run, without_version
from headwater.ingest.service import Service
from headwater.model.entities import Dataset, Job, Run
from headwater.model.state import Source, State
from headwater.openlineage import naming

_NOW = Always()


def find_job(state: State, namespace: str, name: str, when: When | None = None) -> Job:
    job = state.find_job(namespace, name)
    if job is None or (when or _NOW).hides(state, job.node):
        raise _unknown(state, "job", namespace, name, when)
    return job


def find_dataset(state: State, namespace: str, name: str, when: When | None = None) -> Node:
    """The canonical dataset behind any of its names."""
    dataset = state.find_dataset(*naming.canonical(namespace, name))
    if dataset is not None:
        node = state.aliases.canonical(dataset.node)
        if state.dataset_of(node).first is not None and not (when or _NOW).hides(state, node):
            return node
    raise _unknown(state, "dataset", namespace, name, when)


def _unknown(state: State, kind: str, namespace: str, name: str, when: When | None) -> NotFound:
    known = state.jobs if kind == type_job else state.datasets
    if namespace not in known or state.is_namespace_hidden(namespace):
        hint = close_to(namespace, shown_namespaces(state, known), "Similar namespaces:")
        return NotFound(f"no {kind} {name!r}: no {kind} in namespace {namespace!r}.{hint}")
    hides = (when or _NOW).hides
    names = (each for each, node in known[namespace].items() if not hides(state, node))
    return NotFound(f"no {kind} {name!r} in namespace {namespace!r}.{close_to(name, names)}")


def find_namespace(state: State, name: str) -> str:
    """The namespace's own spelling."""
    for spelled in (name, naming.canonical(name, "x")[0]):
        if spelled in state.namespaces and not state.is_namespace_hidden(spelled):
            return spelled
    raise NotFound(f"no namespace {name!r}.{close_to(name, shown_namespaces(state, state.namespaces))}")


def shown_namespaces(state: State, names: Iterable[str]) -> Iterable[str]:
    """Those that were not deleted."""
    return (name for name in names if not state.is_namespace_hidden(name)) if state.edited.deleted else names


def close_to(text: str, names: Iterable[str], lead: str = "Did you mean") -> str:
    # Comparing texts is slow, and a hint is worth only so much time.
    close = get_close_matches(text[:200], list(islice(names, 1000)), 3, 0.5)
    return f" {lead} {', '.join(close)}?" if close else ""


def find_source(state: State, name: str) -> Source:
    source = state.sources.get(name)
    if source is None:
        raise NotFound(f"no source {name!r}.{close_to(name, state.sources)}")
    return source


def find_node(state: State, node_id: str, when: When | None = None) -> Node:
    """A job or dataset by its node id, tried in every way in which the id can be read."""
    kind, text = _typed(node_id, (type_job, type_dataset))
    known = state.jobs if kind == type_job else state.datasets
    nearest: tuple[str, str] | None = None
    for candidate in dict.fromkeys((text, without_version(text))):
        for namespace, name in _in_namespaces(candidate, known):
            nearest = nearest or (namespace, name)
            if name in known[namespace]:
                with suppress(NotFound):
                    if kind == type_job:
                        return find_job(state, namespace, name, when).node
                    return find_dataset(state, namespace, name, when)
    raise _unknown(state, kind, *(nearest or next(splits(text))), when)


def _in_namespaces(text: str, known: dict[str, dict[str, Node]]) -> Iterator[tuple[str, str]]:
    """The readings of `namespace:name` whose namespace exists, in canonical spelling."""
    for namespace, name in splits(text):
        if namespace in known:
            yield namespace, name
        spelled = naming.canonical(namespace, name)
        if spelled != (namespace, name) and spelled[0] in known:
            yield spelled


def node_type(node_id: str, kinds: Sequence[str]) -> str:
    kind, name = split_type(node_id) or ("", "")
    if kind not in kinds or not name:
        forms = {type_field: "NAMESPACE:NAME:COLUMN", type_run: "ID"}
        expected = " or ".join(f"{k}:{forms.get(k, 'NAMESPACE:NAME')}" for k in kinds)
        raise BadRequest(f"nodeId {node_id!r} must look like {expected}")
    return kind


async def find_run(service: Service, run_id: str) -> Run:
    await service.catch_up()
    for candidate in dict.fromkeys((run_id, without_version(run_id))):
        runs = await service.run_query(service.tables.runs, [RunId(candidate)])
        if runs and runs[0].first is not None:
            return runs[0]
    raise NotFound(f"no run {run_id!r}")


def find_columns(state: State, contents: Contents, node_id: str, when: When) -> Slices[None, list[Column]]:
    """One column, or all columns of a dataset or of what a job writes."""
    kind, text = _typed(node_id, (type_field, type_dataset, type_job))
    if kind == type_dataset:
        return (yield from columns_of(state, contents, find_node(state, node_id, when), when))
    if kind == type_job:
        job = state.job_of(find_node(state, node_id, when))
        out = [e.dst for e in job.out if isinstance(state.nodes[e.dst], Dataset) and when.alive(state, e)]
        columns: list[Column] = []
        for node in dict.fromkeys(map(state.aliases.canonical, out)):
            columns += yield from columns_of(state, contents, node, when)
        return columns
    for candidate in dict.fromkeys((text, without_version(text))):
        for namespace, rest in _in_namespaces(candidate, state.datasets):
            for name, field in splits(rest):
                name = naming.canonical(namespace, name)[1]
                if name in state.datasets[namespace]:
                    with suppress(NotFound):
                        column = (find_dataset(state, namespace, name, when), field)
                        if column in (yield from columns_of(state, contents, column[0], when)):
                            return [column]
    raise NotFound(f"no column {text!r}: unknown dataset or column")


def _typed(node_id: str, kinds: tuple[str, ...]) -> tuple[str, str]:
    parts = split_type(node_id)
    if parts is None or parts[0] not in kinds or ":" not in parts[1]:
        raise BadRequest(f"nodeId {node_id!r} must look like {' or '.join(k + ':NAMESPACE:NAME' for k in kinds)}")
    return parts
