"""Marquez's own Python client, unchanged, with every method that it has."""

import inspect
from pathlib import Path
from uuid import uuid4

import pytest
from marquez_client import MarquezClient  # type: ignore[import-untyped]
from marquez_client.errors import APIError  # type: ignore[import-untyped]
from marquez_client.models import DatasetId, DatasetType, JobType  # type: ignore[import-untyped]

from tests.integration.samples import run_event
from tests.support.server import Server

# The client calls half of its own methods deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")

NAMESPACES = ("plain-{}", "s3://warehouse-{}", "kafka://host-{}:9092", "späces and 😀: a/b?c#d%2Fe{}")


@pytest.fixture
def client(shared_server: Server, monkeypatch: pytest.MonkeyPatch) -> MarquezClient:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return MarquezClient(shared_server.url)


@pytest.fixture(params=NAMESPACES)
def namespace(request: pytest.FixtureRequest, client: MarquezClient) -> str:
    """Another one for each test."""
    name: str = request.param.format(uuid4())
    made = client.create_namespace(name, "owner", "what it is")
    assert (made["name"], made["ownerName"], made["description"]) == (name, "owner", "what it is")
    return name


@pytest.fixture
def source(client: MarquezClient) -> str:
    name = "postgres: a/b"
    made = client.create_source(name, "postgresql", "jdbc:postgresql://localhost:5432/test", "a database")
    assert made["type"] == "POSTGRESQL"
    return name


def test_namespaces(client: MarquezClient, namespace: str) -> None:
    assert client.get_namespace(namespace)["isHidden"] is False
    assert namespace in [each["name"] for each in client.list_namespaces()["namespaces"]]
    assert len(client.list_namespaces(limit=1, offset=1)["namespaces"]) <= 1
    again = client.create_namespace(namespace, "somebody else")
    assert again["ownerName"] == "somebody else"
    assert again["createdAt"] < again["updatedAt"]


def test_sources(client: MarquezClient, source: str) -> None:
    stored = client.get_source(source)
    assert stored["connectionUrl"] == "jdbc:postgresql://localhost:5432/test"
    assert stored["description"] == "a database"
    assert stored in client.list_sources()["sources"]


def test_datasets(client: MarquezClient, namespace: str, source: str) -> None:
    fields = [
        {"name": "id", "type": "INTEGER", "tags": [], "description": "key"},
        {"name": "email", "type": "VARCHAR", "tags": ["pii"], "description": None},
    ]
    made = client.create_dataset(
        namespace, "a/table", DatasetType.DB_TABLE, "public.table", source, "about", fields=fields, tags=["gold"]
    )
    assert made["id"] == {"namespace": namespace, "name": "a/table"}
    assert (made["physicalName"], made["sourceName"], made["description"]) == ("public.table", source, "about")
    assert made["fields"] == fields
    assert made["tags"] == ["gold"]
    assert made["type"] == ("STREAM" if namespace.startswith("kafka:") else "DB_TABLE")
    assert made["currentVersion"] is not None
    assert client.get_dataset(namespace, "a/table") == made

    stream = client.create_dataset(
        namespace, "topic", DatasetType.STREAM, "topic", source, schema_location="http://registry/1"
    )
    assert stream["type"] == "STREAM"
    assert stream["facets"]["headwater_dataset"]["schemaLocation"] == "http://registry/1"
    listed = client.list_datasets(namespace)
    assert [each["name"] for each in listed["datasets"]] == ["a/table", "topic"]
    assert listed["totalCount"] == 2
    assert len(client.list_datasets(namespace, limit=1, offset=1)["datasets"]) == 1

    tagged = client.tag_dataset(namespace, "a/table", "reviewed: yes/no")
    assert tagged["tags"] == ["gold", "reviewed: yes/no"]
    tagged = client.tag_dataset_field(namespace, "a/table", "id", "key")
    assert [each["tags"] for each in tagged["fields"]] == [["key"], ["pii"]]

    versions = client.list_dataset_versions(namespace, "a/table")
    assert versions["totalCount"] == 1
    (version,) = versions["versions"]
    assert client.get_dataset_version(namespace, "a/table", version["version"]) == version
    assert [each["name"] for each in version["fields"]] == ["id", "email"]


def test_tags(client: MarquezClient) -> None:
    assert client.create_tag("personal", "about people") == {"name": "personal", "description": "about people"}
    assert client.create_tag("personal") == {"name": "personal", "description": "about people"}
    assert {"name": "personal", "description": "about people"} in client.list_tags()["tags"]
    assert len(client.list_tags(limit=1)["tags"]) == 1


def test_jobs_and_runs(client: MarquezClient, namespace: str, source: str) -> None:
    for name in ("in", "out"):
        client.create_dataset(namespace, name, DatasetType.DB_TABLE, name, source, fields=[{"name": "x"}])
    made = client.create_job(
        namespace,
        "a: job",
        JobType.SERVICE,
        "https://github.com/example/job",
        [DatasetId(namespace, "in")],
        [DatasetId(namespace, "out")],
        "about",
        {"SQL": "SELECT 1"},
    )
    assert (made["type"], made["location"], made["description"]) == (
        "SERVICE",
        "https://github.com/example/job",
        "about",
    )
    assert made["inputs"] == [{"namespace": namespace, "name": "in"}]
    assert made["outputs"] == [{"namespace": namespace, "name": "out"}]
    assert made["facets"]["sql"]["query"] == "SELECT 1"
    assert client.get_job(namespace, "a: job") == made
    assert made in client.list_jobs(namespace)["jobs"]

    run_id = str(uuid4())
    run = client.create_job_run(
        namespace,
        "a: job",
        run_id,
        "2026-11-15T00:00:00Z",
        "2026-11-16T00:00:00Z",
        {"email": "me@example.com"},
    )
    assert (run["id"], run["state"], run["startedAt"]) == (run_id, "NEW", None)
    assert (run["nominalStartTime"], run["nominalEndTime"]) == ("2026-11-15T00:00:00Z", "2026-11-16T00:00:00Z")
    assert run["args"] == {"email": "me@example.com"}

    started = client.mark_job_run_as_started(run_id, "2026-11-15T10:00:00Z")
    assert (started["state"], started["startedAt"]) == ("RUNNING", "2026-11-15T10:00:00Z")
    client.create_job(namespace, "a: job", JobType.SERVICE, run_id=run_id, inputs=[DatasetId(namespace, "in")])
    client.create_dataset(namespace, "out", DatasetType.DB_TABLE, "out", source, run_id=run_id)
    ended = client.mark_job_run_as_completed(run_id, "2026-11-15T10:00:01Z")
    assert (ended["state"], ended["endedAt"], ended["durationMs"]) == ("COMPLETED", "2026-11-15T10:00:01Z", 1000)
    assert [used["datasetVersionId"]["name"] for used in ended["inputDatasetVersions"]] == ["in"]
    assert [used["datasetVersionId"]["name"] for used in ended["outputDatasetVersions"]] == ["out"]
    assert client.get_job_run(run_id) == ended

    for mark, state in ((client.mark_job_run_as_failed, "FAILED"), (client.mark_job_run_as_aborted, "ABORTED")):
        running = client.create_job_run(namespace, "a: job", mark_as_running=True)
        assert running["state"] == "RUNNING"
        assert mark(running["id"])["state"] == state
    runs = client.list_job_runs(namespace, "a: job")
    assert runs["totalCount"] == 3
    assert [run["state"] for run in runs["runs"]] == ["ABORTED", "FAILED", "COMPLETED"]
    assert len(client.list_job_runs(namespace, "a: job", limit=1, offset=1)["runs"]) == 1


def test_columns_and_events(client: MarquezClient, shared_server: Server) -> None:
    topic, table = ("kafka://host:9092", "orders"), ("s3://warehouse", "a/b:c")
    assert shared_server.post(run_event(1, job="copy: all", source=topic, target=table)).status_code == 201
    whole = client.get_column_lineage_by_dataset(*table)
    assert len(whole["graph"]) == 8
    one = client.get_column_lineage_by_dataset_field(*table, "price", depth=1, with_downstream=True)
    assert [node["data"]["field"] for node in one["graph"]] == ["price", "price"]
    version = client.get_dataset(*table)["currentVersion"]
    assert client.get_column_lineage_by_dataset(*table, version=version) == whole
    assert client.get_column_lineage_by_job("orders-pipeline", "copy: all") == whole
    assert client.list_events(limit=1)["totalCount"] == shared_server.total()
    assert len(client.list_events(limit=1)["events"]) == 1
    assert client.list_events("lineage") == client.list_events()


def test_events_of_one_namespace_are_not_available_as_in_marquez(client: MarquezClient) -> None:
    """The client has an argument for a route that no server has."""
    with pytest.raises(APIError):
        client.list_events("plain")


def test_every_method_is_used_here() -> None:
    here = Path(__file__).read_text()
    methods = [name for name, _ in inspect.getmembers(MarquezClient, inspect.isfunction) if not name.startswith("_")]
    assert len(methods) > 20
    assert [name for name in methods if f"client.{name}" not in here] == []
