"""The requests of the Marquez API: namespaces, jobs, runs, datasets, sources, tags, statistics.

As in `queries`, a function only describes a request; a client sends it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from headwater.client.request import Pages, Request, Time, get, path, without_none, write
from headwater.shapes import marquez

RunState = Literal["NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED"]

# Namespaces


def namespaces() -> Pages[marquez.Namespaces, marquez.Namespace]:
    """All namespaces, by name."""
    return Pages(get("/namespaces", marquez.Namespaces), lambda page: page.namespaces)


def namespace(name: str) -> Request[marquez.Namespace]:
    return get(path("namespaces", name), marquez.Namespace)


def put_namespace(name: str, *, owner: str, description: str | None = None) -> Request[marquez.Namespace]:
    body = {"ownerName": owner, "description": description}
    return write("PUT", path("namespaces", name), marquez.Namespace, body)


def delete_namespace(name: str) -> Request[marquez.Namespace]:
    """Hide a namespace and everything in it until an event names it again."""
    return write("DELETE", path("namespaces", name), marquez.Namespace)


# Jobs


def jobs(
    namespace: str | None = None, *, last_run_states: Sequence[RunState] | None = None
) -> Pages[marquez.Jobs, marquez.Job]:
    """All jobs, of one namespace or of all; the most recently active first."""
    base = path("namespaces", namespace) if namespace is not None else ""
    states = list(last_run_states) if last_run_states else None
    return Pages(get(f"{base}/jobs", marquez.Jobs, lastRunStates=states), lambda page: page.jobs)


def job(namespace: str, name: str) -> Request[marquez.Job]:
    return get(_job(namespace, name), marquez.Job)


def job_versions(namespace: str, name: str) -> Pages[marquez.JobVersions, marquez.JobVersion]:
    """The versions of a job, newest first. Runs that read and write the same datasets share a version."""
    return Pages(get(_job(namespace, name) + "/versions", marquez.JobVersions), lambda page: page.versions)


def job_version(namespace: str, name: str, version: str) -> Request[marquez.JobVersion]:
    return get(_job(namespace, name) + path("versions", version), marquez.JobVersion)


def put_job(
    namespace: str,
    name: str,
    *,
    kind: Literal["BATCH", "STREAM", "SERVICE"] = "BATCH",
    inputs: Sequence[tuple[str, str]] | None = None,
    outputs: Sequence[tuple[str, str]] | None = None,
    location: str | None = None,
    description: str | None = None,
    run_id: str | None = None,
) -> Request[marquez.Job]:
    """Describe a job. Inputs and outputs are (namespace, name) of existing datasets."""
    body = {
        "type": kind,
        "inputs": _datasets(inputs),
        "outputs": _datasets(outputs),
        "location": location,
        "description": description,
        "runId": run_id,
    }
    return write("PUT", _job(namespace, name), marquez.Job, without_none(body))


def _datasets(names: Sequence[tuple[str, str]] | None) -> list[dict[str, str]] | None:
    return None if names is None else [{"namespace": namespace, "name": name} for namespace, name in names]


def delete_job(namespace: str, name: str) -> Request[marquez.Job]:
    """Hide a job until an event names it again."""
    return write("DELETE", _job(namespace, name), marquez.Job)


def tag_job(namespace: str, name: str, tag: str) -> Request[marquez.Job]:
    return write("POST", _job(namespace, name) + path("tags", tag), marquez.Job)


def untag_job(namespace: str, name: str, tag: str) -> Request[marquez.Job]:
    return write("DELETE", _job(namespace, name) + path("tags", tag), marquez.Job)


def _job(namespace: str, name: str) -> str:
    return path("namespaces", namespace, "jobs", name)


# Runs


def runs(namespace: str, job: str) -> Pages[marquez.Runs, marquez.Run]:
    """The runs of a job, latest first."""
    return Pages(get(_job(namespace, job) + "/runs", marquez.Runs), lambda page: page.runs)


def run(run_id: str) -> Request[marquez.Run]:
    """A run, with its history of states."""
    return get(path("jobs", "runs", run_id), marquez.Run)


def run_facets(run_id: str, *, kind: Literal["run", "job"] = "run") -> Request[marquez.RunFacets]:
    return get(path("jobs", "runs", run_id, "facets"), marquez.RunFacets, type=kind)


def create_run(
    namespace: str,
    job: str,
    *,
    run_id: str | None = None,
    args: Mapping[str, str] | None = None,
    nominal_start: Time | None = None,
    nominal_end: Time | None = None,
) -> Request[marquez.Run]:
    """Create a run of a job, not started yet."""
    body: dict[str, Any] = {
        "id": run_id,
        "args": args,
        "nominalStartTime": nominal_start,
        "nominalEndTime": nominal_end,
    }
    return write("POST", _job(namespace, job) + "/runs", marquez.Run, without_none(body))


def mark_run(
    run_id: str, action: Literal["start", "complete", "fail", "abort"], *, at: Time | None = None
) -> Request[marquez.Run]:
    """Set the state of a run."""
    return write("POST", path("jobs", "runs", run_id, action), marquez.Run, at=at)


# Datasets


def datasets(namespace: str) -> Pages[marquez.Datasets, marquez.Dataset]:
    """All datasets of a namespace."""
    return Pages(get(path("namespaces", namespace, "datasets"), marquez.Datasets), lambda page: page.datasets)


def dataset(namespace: str, name: str) -> Request[marquez.Dataset]:
    """A dataset, by any of its names."""
    return get(_dataset(namespace, name), marquez.Dataset)


def versions(namespace: str, name: str) -> Pages[marquez.DatasetVersions, marquez.DatasetVersion]:
    """The versions of a dataset, newest first."""
    return Pages(get(_dataset(namespace, name) + "/versions", marquez.DatasetVersions), lambda page: page.versions)


def version(namespace: str, name: str, version: str) -> Request[marquez.DatasetVersion]:
    return get(_dataset(namespace, name) + path("versions", version), marquez.DatasetVersion)


def put_dataset(
    namespace: str,
    name: str,
    *,
    source: str,
    kind: Literal["DB_TABLE", "STREAM"] = "DB_TABLE",
    physical_name: str | None = None,
    fields: Sequence[Mapping[str, Any]] | None = None,
    tags: Sequence[str] | None = None,
    description: str | None = None,
    run_id: str | None = None,
) -> Request[marquez.Dataset]:
    """Describe a dataset. Fields have a name, and may have a type, tags and a description."""
    body = {
        "type": kind,
        "physicalName": physical_name or name,
        "sourceName": source,
        "fields": fields,
        "tags": tags,
        "description": description,
        "runId": run_id,
    }
    return write("PUT", _dataset(namespace, name), marquez.Dataset, without_none(body))


def delete_dataset(namespace: str, name: str) -> Request[marquez.Dataset]:
    """Hide a dataset until an event names it again."""
    return write("DELETE", _dataset(namespace, name), marquez.Dataset)


def tag_dataset(namespace: str, name: str, tag: str, *, field: str | None = None) -> Request[marquez.Dataset]:
    """Put a tag on a dataset, or on one of its columns."""
    return write("POST", _tag(namespace, name, tag, field), marquez.Dataset)


def untag_dataset(namespace: str, name: str, tag: str, *, field: str | None = None) -> Request[marquez.Dataset]:
    return write("DELETE", _tag(namespace, name, tag, field), marquez.Dataset)


def _dataset(namespace: str, name: str) -> str:
    return path("namespaces", namespace, "datasets", name)


def _tag(namespace: str, name: str, tag: str, field: str | None) -> str:
    of_field = "" if field is None else path("fields", field)
    return _dataset(namespace, name) + of_field + path("tags", tag)


# Sources, tags, statistics


def sources() -> Pages[marquez.Sources, marquez.Source]:
    return Pages(get("/sources", marquez.Sources), lambda page: page.sources)


def source(name: str) -> Request[marquez.Source]:
    return get(path("sources", name), marquez.Source)


def put_source(name: str, *, kind: str, connection_url: str, description: str | None = None) -> Request[marquez.Source]:
    body = {"type": kind, "connectionUrl": connection_url, "description": description}
    return write("PUT", path("sources", name), marquez.Source, body)


def tags() -> Pages[marquez.Tags, marquez.Tag]:
    return Pages(get("/tags", marquez.Tags), lambda page: page.tags)


def put_tag(name: str, *, description: str | None = None) -> Request[marquez.Tag]:
    return write("PUT", path("tags", name), marquez.Tag, {"description": description})


def event_counts(
    *, period: Literal["DAY", "WEEK"] = "DAY", timezone: str | None = None
) -> Request[list[marquez.EventCounts]]:
    """How many events of each type there were in each hour of a day, or day of a week."""
    return get("/stats/lineage-events", list[marquez.EventCounts], period=period, timezone=timezone)


def counts(
    what: Literal["jobs", "datasets", "sources"],
    *,
    period: Literal["DAY", "WEEK"] = "DAY",
    timezone: str | None = None,
) -> Request[list[marquez.Count]]:
    """How many jobs, datasets or sources there were at the end of each interval."""
    return get(f"/stats/{what}", list[marquez.Count], period=period, timezone=timezone)
