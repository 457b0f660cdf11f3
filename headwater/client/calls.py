"""Every question and every change, described once for both clients.

A function here says which request it is and what comes back; nothing is sent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

import msgspec

from headwater.client.call import Call, get, path, write
from headwater.shapes import marquez
from headwater.shapes.diff import Diff
from headwater.shapes.freshness import Freshness, Gaps
from headwater.shapes.impact import Impact
from headwater.shapes.search import SearchAnswer
from headwater.shapes.why import Why

Moment = datetime | str
Direction = Literal["connected", "upstream", "downstream", "both"]
GapKind = Literal["jobs-without-owner", "datasets-without-producer", "datasets-without-consumer"]

Item = TypeVar("Item")
Page = TypeVar("Page")


@dataclass(frozen=True)
class Pages(Generic[Page, Item]):
    """A list that comes in pages, all of which are asked for, one after the other."""

    call: Call[Page]
    items: Callable[[Page], list[Item]]


def _page(call: Call[Page], limit: int, offset: int) -> Call[Page]:
    return Call(call.method, call.path, call.shape, {**call.params, "limit": limit, "offset": offset})


def next_page(pages: Pages[Page, Item], limit: int, offset: int) -> Call[Page]:
    return _page(pages.call, limit, offset)


# The server itself


def healthz() -> Call[marquez.Health]:
    """How the server is; `status` begins with `degraded` while it cannot write."""
    return Call("GET", "/healthz", marquez.Health, also=(503,))


# Graphs


def lineage(
    node_id: str,
    *,
    depth: int = 20,
    direction: Direction = "connected",
    at: Moment | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
) -> Call[marquez.Graph]:
    """The graph around a job or dataset."""
    return get(
        "/lineage",
        marquez.Graph,
        nodeId=node_id,
        depth=depth,
        direction=direction,
        at=at,
        since=since,
        until=until,
    )


def column_lineage(
    node_id: str,
    *,
    depth: int = 20,
    with_downstream: bool = False,
    at: Moment | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
) -> Call[marquez.Graph]:
    """The graph of columns around a column, or around all columns of a dataset or job."""
    return get(
        "/column-lineage",
        marquez.Graph,
        nodeId=node_id,
        depth=depth,
        withDownstream=with_downstream,
        at=at,
        since=since,
        until=until,
    )


def path_between(origin: str, destination: str, *, at: Moment | None = None) -> Call[marquez.Graph]:
    """How data gets from one node to another."""
    return get("/path", marquez.Graph, **{"from": origin, "to": destination, "at": at})


# Questions


def impact(
    node_id: str, *, depth: int | None = None, limit: int | None = None, at: Moment | None = None
) -> Call[Impact]:
    """Everything downstream, the nearest first: whom does a change hit?"""
    return get("/impact", Impact, nodeId=node_id, depth=depth, limit=limit, at=at)


def why(
    node_id: str,
    *,
    at: Moment | None = None,
    since: Moment | None = None,
    limit: int | None = None,
    depth: int | None = None,
) -> Call[Why]:
    """Why is it wrong: suspects upstream, the likeliest first."""
    return get("/why", Why, nodeId=node_id, at=at, since=since, limit=limit, depth=depth)


def diff(
    since: Moment,
    until: Moment | None = None,
    *,
    node_id: str | None = None,
    depth: int | None = None,
    limit: int | None = None,
) -> Call[Diff]:
    """What changed between two moments, around a node or everywhere."""
    params = {"from": since, "to": until, "nodeId": node_id, "depth": depth, "limit": limit}
    return get("/diff", Diff, **params)


def freshness(node_id: str, *, at: Moment | None = None) -> Call[Freshness]:
    """When a dataset was last written, and whether the next write is late."""
    return get("/freshness", Freshness, nodeId=node_id, at=at)


def gaps(kind: GapKind, *, namespace: str | None = None, limit: int = 100, offset: int = 0) -> Call[Gaps]:
    """What nobody looks after: one page of it."""
    return get("/gaps", Gaps, kind=kind, namespace=namespace, limit=limit, offset=offset)


def run_lineage(
    run_id: str, *, direction: Literal["upstream", "downstream"] = "upstream", depth: int | None = None
) -> Call[dict[str, Any]]:
    """Which runs fed a run, or were fed by it, through the versions of datasets."""
    return get(f"/runlineage/{direction}", dict[str, Any], runId=run_id, depth=depth)


def search(
    query: str,
    *,
    kind: Literal["JOB", "DATASET"] | None = None,
    namespace: str | None = None,
    sort: Literal["NAME", "UPDATE_AT"] | None = None,
    before: Moment | None = None,
    after: Moment | None = None,
    limit: int = 10,
    offset: int = 0,
) -> Call[SearchAnswer]:
    """Jobs and datasets by names, columns, descriptions, tags, owners and SQL; the best first."""
    return get(
        "/search",
        SearchAnswer,
        q=query,
        filter=kind,
        namespace=namespace,
        sort=sort,
        before=before,
        after=after,
        limit=limit,
        offset=offset,
    )


# The catalogue


def namespaces() -> Pages[marquez.Namespaces, marquez.Namespace]:
    """All namespaces, by name."""
    return Pages(get("/namespaces", marquez.Namespaces), lambda page: page.namespaces)


def namespace(name: str) -> Call[marquez.Namespace]:
    return get(path("namespaces", name), marquez.Namespace)


def jobs(namespace: str | None = None) -> Pages[marquez.Jobs, marquez.Job]:
    """All jobs, of one namespace or of all; the last active first."""
    base = path("namespaces", namespace) if namespace is not None else ""
    return Pages(get(f"{base}/jobs", marquez.Jobs), lambda page: page.jobs)


def job(namespace: str, name: str) -> Call[marquez.Job]:
    return get(path("namespaces", namespace, "jobs", name), marquez.Job)


def datasets(namespace: str) -> Pages[marquez.Datasets, marquez.Dataset]:
    """All datasets of a namespace."""
    return Pages(get(path("namespaces", namespace, "datasets"), marquez.Datasets), lambda page: page.datasets)


def dataset(namespace: str, name: str) -> Call[marquez.Dataset]:
    """A dataset, by any of its names."""
    return get(path("namespaces", namespace, "datasets", name), marquez.Dataset)


def versions(namespace: str, name: str) -> Pages[marquez.DatasetVersions, marquez.DatasetVersion]:
    """The versions of a dataset, newest first."""
    call = get(path("namespaces", namespace, "datasets", name, "versions"), marquez.DatasetVersions)
    return Pages(call, lambda page: page.versions)


def runs(namespace: str, job: str) -> Pages[marquez.Runs, marquez.Run]:
    """The runs of a job, latest first."""
    return Pages(get(path("namespaces", namespace, "jobs", job, "runs"), marquez.Runs), lambda page: page.runs)


def runs_page(namespace: str, job: str, *, limit: int = 100, offset: int = 0) -> Call[marquez.Runs]:
    """Some runs of a job, latest first, and how many there are."""
    return _page(runs(namespace, job).call, limit, offset)


def run(run_id: str) -> Call[marquez.Run]:
    """A run, with its history of states."""
    return get(path("jobs", "runs", run_id), marquez.Run)


def run_facets(run_id: str, *, kind: Literal["run", "job"] = "run") -> Call[marquez.RunFacets]:
    return get(path("jobs", "runs", run_id, "facets"), marquez.RunFacets, type=kind)


class _Events(msgspec.Struct):
    events: list[dict[str, Any]]


def events(
    *, after: Moment | None = None, before: Moment | None = None, newest_first: bool = False
) -> Pages[_Events, dict[str, Any]]:
    """The events themselves, in the order of their times."""
    call = get("/events/lineage", _Events, **_event_filter(after, before, newest_first))
    return Pages(call, lambda page: page.events)


def events_page(
    *,
    after: Moment | None = None,
    before: Moment | None = None,
    newest_first: bool = False,
    limit: int = 100,
    offset: int = 0,
) -> Call[marquez.Events]:
    """Some events as they were sent, byte for byte, and how many there are."""
    params = _event_filter(after, before, newest_first)
    return get("/events/lineage", marquez.Events, **params, limit=limit, offset=offset)


def _event_filter(after: Moment | None, before: Moment | None, newest_first: bool) -> dict[str, Any]:
    return {"after": after, "before": before, "sortDirection": "desc" if newest_first else "asc"}


# Changes, as in Marquez's API


def put_namespace(name: str, *, owner: str, description: str | None = None) -> Call[marquez.Namespace]:
    body = {"ownerName": owner, "description": description}
    return write("PUT", path("namespaces", name), marquez.Namespace, body)


def delete_namespace(name: str) -> Call[marquez.Namespace]:
    return write("DELETE", path("namespaces", name), marquez.Namespace)


def put_dataset(namespace: str, name: str, description: Mapping[str, Any]) -> Call[marquez.Dataset]:
    """Describe a dataset: type, physicalName, sourceName, fields, tags, description, runId."""
    return write("PUT", path("namespaces", namespace, "datasets", name), marquez.Dataset, description)


def delete_dataset(namespace: str, name: str) -> Call[marquez.Dataset]:
    """Hide a dataset until it is seen again."""
    return write("DELETE", path("namespaces", namespace, "datasets", name), marquez.Dataset)


def tag_dataset(namespace: str, name: str, tag: str, *, field: str | None = None) -> Call[marquez.Dataset]:
    return write("POST", _tag(namespace, name, tag, field), marquez.Dataset)


def untag_dataset(namespace: str, name: str, tag: str, *, field: str | None = None) -> Call[marquez.Dataset]:
    return write("DELETE", _tag(namespace, name, tag, field), marquez.Dataset)


def _tag(namespace: str, name: str, tag: str, field: str | None) -> str:
    of_field = () if field is None else ("fields", field)
    return path("namespaces", namespace, "datasets", name, *of_field, "tags", tag)


def put_job(namespace: str, name: str, description: Mapping[str, Any]) -> Call[marquez.Job]:
    """Describe a job: type, inputs, outputs, location, description, runId."""
    return write("PUT", path("namespaces", namespace, "jobs", name), marquez.Job, description)


def delete_job(namespace: str, name: str) -> Call[marquez.Job]:
    """Hide a job until it is seen again."""
    return write("DELETE", path("namespaces", namespace, "jobs", name), marquez.Job)


def tag_job(namespace: str, name: str, tag: str) -> Call[marquez.Job]:
    return write("POST", path("namespaces", namespace, "jobs", name, "tags", tag), marquez.Job)


def untag_job(namespace: str, name: str, tag: str) -> Call[marquez.Job]:
    return write("DELETE", path("namespaces", namespace, "jobs", name, "tags", tag), marquez.Job)


def create_run(
    namespace: str, job: str, *, run_id: str | None = None, args: Mapping[str, str] | None = None
) -> Call[marquez.Run]:
    """A new run of a job, not started yet."""
    body = {"id": run_id, "args": args or {}}
    return write("POST", path("namespaces", namespace, "jobs", job, "runs"), marquez.Run, body)


def mark_run(
    run_id: str, action: Literal["start", "complete", "fail", "abort"], *, at: Moment | None = None
) -> Call[marquez.Run]:
    """Say what became of a run."""
    return write("POST", path("jobs", "runs", run_id, action), marquez.Run, at=at)
