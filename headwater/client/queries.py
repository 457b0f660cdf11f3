"""The requests of Headwater's own questions, for both clients; `catalogue` has those of the Marquez API.

A function here only describes a request and the type of its answer; a client sends it.
"""

from typing import Any, Literal

import msgspec

from headwater.client.request import Pages, Request, Time, get
from headwater.shapes import marquez
from headwater.shapes.diff import Diff
from headwater.shapes.freshness import Freshness, Gaps
from headwater.shapes.impact import Impact
from headwater.shapes.late import Late
from headwater.shapes.search import SearchAnswer
from headwater.shapes.why import Why

Direction = Literal["connected", "upstream", "downstream", "both"]
GapKind = Literal["jobsWithoutOwner", "datasetsWithoutProducer", "datasetsWithoutConsumer"]

# The server itself


def healthz() -> Request[marquez.Health]:
    """The server's health; `status` begins with `degraded` while it cannot write."""
    return Request("GET", "/healthz", marquez.Health, also=(503,))


# Graphs


def lineage(
    node_id: str,
    *,
    depth: int = 20,
    direction: Direction = "connected",
    at: Time | None = None,
    since: Time | None = None,
    until: Time | None = None,
) -> Request[marquez.Graph]:
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
    at: Time | None = None,
    since: Time | None = None,
    until: Time | None = None,
) -> Request[marquez.Graph]:
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


def path_between(origin: str, destination: str, *, at: Time | None = None) -> Request[marquez.Graph]:
    """How data gets from one node to another."""
    return get("/path", marquez.Graph, **{"from": origin, "to": destination, "at": at})


# Questions


def impact(
    node_id: str, *, depth: int | None = None, limit: int | None = None, at: Time | None = None
) -> Request[Impact]:
    """Everything downstream, the nearest first: what would a change affect?"""
    return get("/impact", Impact, nodeId=node_id, depth=depth, limit=limit, at=at)


def why(
    node_id: str,
    *,
    at: Time | None = None,
    since: Time | None = None,
    limit: int | None = None,
    depth: int | None = None,
) -> Request[Why]:
    """Root cause: suspects upstream, the likeliest first."""
    return get("/why", Why, nodeId=node_id, at=at, since=since, limit=limit, depth=depth)


def diff(
    since: Time,
    until: Time | None = None,
    *,
    node_id: str | None = None,
    depth: int | None = None,
    limit: int | None = None,
) -> Request[Diff]:
    """What changed between two moments, around a node or everywhere."""
    params = {"from": since, "to": until, "nodeId": node_id, "depth": depth, "limit": limit}
    return get("/diff", Diff, **params)


def freshness(node_id: str, *, at: Time | None = None) -> Request[Freshness]:
    """When a dataset was last written, and whether the next write is late."""
    return get("/freshness", Freshness, nodeId=node_id, at=at)


def late(*, limit: int | None = None) -> Request[Late]:
    """Jobs whose next run is overdue, and runs that seem stuck. `limit`: how many active jobs to examine."""
    return get("/late", Late, limit=limit)


def gaps(kind: GapKind, *, namespace: str | None = None, limit: int = 100, offset: int = 0) -> Request[Gaps]:
    """One page of jobs without owner, or of datasets without producer or consumer."""
    return get("/gaps", Gaps, kind=kind, namespace=namespace, limit=limit, offset=offset)


def run_lineage(
    run_id: str, *, direction: Literal["upstream", "downstream"] = "upstream", depth: int | None = None
) -> Request[dict[str, Any]]:
    """Which runs fed a run, or were fed by it, through the versions of datasets."""
    return get(f"/runlineage/{direction}", dict[str, Any], runId=run_id, depth=depth)


def search(
    query: str,
    *,
    kind: Literal["JOB", "DATASET"] | None = None,
    namespace: str | None = None,
    sort: Literal["NAME", "UPDATE_AT"] | None = None,
    before: Time | None = None,
    after: Time | None = None,
    limit: int = 10,
    offset: int = 0,
) -> Request[SearchAnswer]:
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


# Events


class _Events(msgspec.Struct):
    events: list[dict[str, Any]]


def events(
    *, after: Time | None = None, before: Time | None = None, newest_first: bool = False
) -> Pages[_Events, dict[str, Any]]:
    """All events, ordered by time."""
    request = get("/events/lineage", _Events, **_event_filter(after, before, newest_first))
    return Pages(request, lambda page: page.events)


def events_page(
    *,
    after: Time | None = None,
    before: Time | None = None,
    newest_first: bool = False,
    limit: int = 100,
    offset: int = 0,
) -> Request[marquez.Events]:
    """One page of events, byte for byte as they were sent, and the total count."""
    params = _event_filter(after, before, newest_first)
    return get("/events/lineage", marquez.Events, **params, limit=limit, offset=offset)


def _event_filter(after: Time | None, before: Time | None, newest_first: bool) -> dict[str, Any]:
    return {"after": after, "before": before, "sortDirection": "desc" if newest_first else "asc"}
